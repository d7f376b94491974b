// Plays the Responses API of a model provider on the loopback interface: for each question of its script it calls one
// tool, and answers with what the tool returned, on one line.
import { once } from 'node:events';
import { createServer } from 'node:http';

/**
 * Starts the endpoint.
 *
 * @param script - By question: `{ tool, args }`, with the tool as `server__tool`.
 * @returns `url`, `offered()` with the names of the tools in the last request, `images()` with the number of images that
 *   it has received, and `close()`.
 */
export async function startModelEndpoint(script) {
  let offered = [];
  let images = 0;
  let lastId = 0;
  const server = createServer(async (request, response) => {
    const { input, tools = [], model } = JSON.parse(await textOf(request));
    offered = tools.map(({ name }) => name);
    images += partsOf(input.at(-1)).filter(({ type }) => type === 'input_image').length;
    lastId += 1;
    const output = [respond(input.at(-1), offered, script, lastId)];
    const usage = { input_tokens: 1, output_tokens: 1 };
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ id: `response-${lastId}`, created_at: 1, model, output, usage }));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    offered: () => offered,
    images: () => images,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** A tool call for a question, a text for the result of a call. */
function respond(last, offered, script, id) {
  if (last.type === 'function_call_output') return message(id, JSON.stringify(partsOf(last).map(toText).join(' ')));
  const question = typeof last.content === 'string' ? last.content : last.content.map(({ text }) => text).join('');
  const { tool, args } = script[question];
  const name = offered.find((each) => each.endsWith(tool)) ?? tool; // a tool that is not offered is called, too
  return { type: 'function_call', id: `item-${id}`, call_id: `call-${id}`, name, arguments: JSON.stringify(args) };
}

function message(id, text) {
  const content = [{ type: 'output_text', text, annotations: [] }];
  return { type: 'message', role: 'assistant', id: `item-${id}`, content };
}

/** The parts of a tool result, which may be a plain text. */
function partsOf({ output = [] }) {
  return typeof output === 'string' ? [{ type: 'input_text', text: output }] : output;
}

function toText({ type, text }) {
  return type === 'input_text' ? text : `(${type})`;
}

async function textOf(request) {
  let text = '';
  for await (const chunk of request.setEncoding('utf8')) text += chunk;
  return text;
}
