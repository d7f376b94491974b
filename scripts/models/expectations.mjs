import { deepStrictEqual } from 'node:assert/strict';

/** One pixel. */
export const picture =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

const drawn = { text: 'A picture of a cat' };
const image = { image: picture, mediaType: 'image/png' };
const inWords = { text: `${drawn.text}\n[image image/png, ${(picture.length * 3) / 4} bytes: cannot be shown here]` };
const drawTurns = [{ call: 'draw', args: { subject: 'a cat' } }, { text: 'It is drawn' }];

/** APIs whose results are texts: the guide's text stands for the image. */
const withoutImages = ['openai-chat'];

/** Turns of the model, and the required contents of the requests after them. */
export function expectationOf(program) {
  const result = withoutImages.includes(program) ? [inWords] : [drawn, image];
  if (!program.endsWith('-deferred')) {
    return { turns: drawTurns, expect: (requests, stdout) => expectDrawing(requests, stdout, result) };
  }
  return { turns: [{ search: 'draw a picture' }, ...drawTurns], expect: expectSearchedDrawing };
}

function expectDrawing(requests, stdout, result) {
  const [first, second] = requests;
  deepStrictEqual(requests.length, 2, 'There is one request a turn');
  expectDefinition(definitionsIn(first), 'The first request');
  deepStrictEqual(resultsIn(first), [], 'The first request has no result');
  deepStrictEqual(resultsIn(second), [result], 'The second request has the result');
  expectEnd(stdout);
}

/** Definitions of tools count by the providers' rule: deferred ones are not in the prompt until a result refers to them. */
function expectSearchedDrawing(requests, stdout) {
  const [first, second, third] = requests;
  deepStrictEqual(requests.length, 3, 'There is one request a turn');
  deepStrictEqual(resultsIn(second), [[{ reference: 'draw' }]], 'The second request refers to the found tool');
  const found = definitionsIn(second).filter(({ deferred }) => deferred === true);
  expectDefinition(found, 'The second request');
  deepStrictEqual(resultsIn(third).at(-1), [drawn, image], 'The third request has the result');
  const prompts = requests.map((request) => JSON.stringify(inPrompt(request)));
  deepStrictEqual(inPrompt(first).length, 1, 'The prompt begins with the search alone');
  deepStrictEqual(new Set(prompts).size, 1, 'The beginning of the prompt stays equal');
  expectEnd(stdout);
}

function expectDefinition(definitions, where) {
  const { schema } = definitions.find(({ name }) => name === 'draw') ?? {};
  deepStrictEqual(schema?.properties, { subject: { type: 'string' } }, `${where} defines the tool`);
  deepStrictEqual(schema.required, ['subject'], `${where} says what the tool requires`);
}

function expectEnd(stdout) {
  if (!stdout.includes('It is drawn')) throw new Error(`The program did not end with the model's text:\n${stdout}`);
}

function inPrompt({ body: { tools } }) {
  return tools.filter(({ defer_loading }) => defer_loading !== true);
}

function definitionsIn({ wire, body }) {
  return wire.definitions(body);
}

function resultsIn({ wire, body }) {
  return wire.results(body);
}
