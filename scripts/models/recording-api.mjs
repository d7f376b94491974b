import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';
import { wires } from './wires.mjs';

/**
 * Plays the model behind a provider's API, on loopback, whole or as a stream, and records the requests.
 *
 * @param {(request: { wire: object, body: object }, before: object[]) => import('./wires.mjs').Turn | undefined} turnFor -
 * Gets a request and those before it.
 */
export async function openRecordingApi(turnFor) {
  const requests = [];
  const server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url, 'http://localhost');
    const [, wire] = Array.from(wires).find(([end]) => pathname.endsWith(end)) ?? [];
    if (wire === undefined) return refuse(response, `No turn for ${pathname}`);
    const recorded = { wire, body: await json(request) };
    const turn = turnFor(recorded, requests);
    if (turn === undefined) return refuse(response, `No turn for ${pathname}`);
    requests.push(recorded);
    const answer = wire.answer(turn, `call_${requests.length}`);
    const isStream = recorded.body.stream === true || pathname.endsWith(':streamGenerateContent');
    response.writeHead(200, { 'content-type': isStream ? 'text/event-stream' : 'application/json' });
    response.end(isStream ? wire.events(answer) : JSON.stringify(answer));
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    requests,
    close: () =>
      new Promise((resolve) => {
        server.close(resolve);
        server.closeAllConnections();
      }),
  };
}

/** 400, because SDKs repeat a request after other errors. */
function refuse(response, message) {
  response.writeHead(400, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ error: { type: 'invalid_request_error', message } }));
}
