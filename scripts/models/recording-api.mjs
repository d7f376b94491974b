import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';
import { wires } from './wires.mjs';

/**
 * Plays the model behind a provider's API, on loopback: gives one turn after the other to any request, and records
 * the requests.
 * @param {import('./wires.mjs').Turn[]} turns
 */
export async function openRecordingApi(turns) {
  const requests = [];
  const server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url, 'http://localhost');
    const [, wire] = Array.from(wires).find(([end]) => pathname.endsWith(end)) ?? [];
    const turn = turns[requests.length];
    if (wire === undefined || turn === undefined) return refuse(response, `No turn for ${pathname}`);
    requests.push({ wire, body: await json(request) });
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(wire.answer(turn, `call_${requests.length}`)));
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
