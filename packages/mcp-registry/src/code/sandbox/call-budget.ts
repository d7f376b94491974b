const MAX_NAME_CHARACTERS = 256;
const MAX_CHARACTERS = 8 * 1024 * 1024;
const MAX_VALUES = 200_000;
const MAX_DEPTH = 200;

/** The arguments that one program may send. The host parses them in its own thread and memory. */
export class CallBudget {
  readonly #maxCalls: number;
  #calls = 0;
  #characters = 0;
  #values = 0;

  constructor(maxCalls: number) {
    this.#maxCalls = maxCalls;
  }

  /** Counts a call. Returns the reason for the program if it exceeds the budget. */
  refusalOf(name: string, json: string): string | undefined {
    if (this.#calls >= this.#maxCalls) return `The program has made ${this.#maxCalls} calls, which is its limit`;
    if (name.length > MAX_NAME_CHARACTERS) return 'The name of the tool is too long';
    this.#characters += name.length + json.length;
    if (this.#characters > MAX_CHARACTERS) return 'The arguments of all calls together are too large';
    const { depth, values } = measure(json);
    if (depth > MAX_DEPTH) return `The arguments nest deeper than ${MAX_DEPTH} levels`;
    this.#values += values;
    if (this.#values > MAX_VALUES) return 'The arguments of all calls together have too many values';
    this.#calls += 1;
    return undefined;
  }
}

/** Of a JSON text. The number of values is that of brackets and commas. */
function measure(json: string): { readonly depth: number; readonly values: number } {
  let depth = 0;
  let level = 0;
  let values = 0;
  for (let at = 0; at < json.length; at++) {
    const character = json[at];
    if (character === '"') at = endOfString(json, at);
    else if (character === ',') values += 1;
    else if (character === ']' || character === '}') level -= 1;
    else if (character === '[' || character === '{') {
      values += 1;
      level += 1;
      depth = Math.max(depth, level);
    }
  }
  return { depth, values };
}

function endOfString(json: string, start: number): number {
  let at = start + 1;
  while (at < json.length && json[at] !== '"') at += json[at] === '\\' ? 2 : 1;
  return at;
}
