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

/** What the model does, and what the requests then have to have. */
export function expectationOf(program) {
  const result = withoutImages.includes(program) ? [inWords] : [drawn, image];
  return { turns: drawTurns, expect: (requests, stdout) => expectDrawing(requests, stdout, result) };
}

function expectDrawing(requests, stdout, result) {
  const [first, second] = requests;
  deepStrictEqual(requests.length, 2, 'There is one request a turn');
  const definition = first.wire.definitions(first.body).find(({ name }) => name === 'draw');
  deepStrictEqual(
    definition?.schema?.properties,
    { subject: { type: 'string' } },
    'The first request defines the tool',
  );
  deepStrictEqual(definition.schema.required, ['subject']);
  deepStrictEqual(first.wire.results(first.body), [], 'The first request has no result');
  deepStrictEqual(second.wire.results(second.body), [result], 'The second request has the result');
  if (!stdout.includes('It is drawn')) throw new Error(`The program did not end with the model's text:\n${stdout}`);
}
