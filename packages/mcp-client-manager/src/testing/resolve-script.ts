import type {
  FakeAnswer,
  FakeEra,
  FakeNoise,
  FakePages,
  FakeServerScript,
  FakeStart,
  FakeTool,
} from './fake-server-script.js';

/** How a script is brought to a client. */
export type FakeCarrier = 'stdio' | 'in-process' | 'http';

/** A script with every default filled in. */
export interface FakeServerPlan {
  readonly era: FakeEra;
  readonly tools: readonly PlannedTool[];
  readonly starts: Steps<FakeStart>;
  readonly pages: FakePages | undefined;
  readonly noise: FakeNoise;
  readonly ignores: readonly string[];
  readonly grandchild: 'plain' | 'stubborn' | undefined;
}

export type PlannedTool = FakeTool & { readonly answers: Steps<FakeAnswer> };

/** Played one after the other; the last one is repeated. */
export type Steps<T> = readonly [T, ...T[]];

/** @throws {TypeError} Names the place in the script that makes no sense. */
export function resolveScript(script: FakeServerScript = {}): FakeServerPlan {
  requireKeys('script', script, ['era', 'tools', 'starts', 'pages', 'noise', 'ignores', 'grandchild']);
  const { era = 'both', tools = [{ name: 'echo' }], starts = ['works'], pages, noise = {} } = script;
  const { ignores = [], grandchild } = script;
  requireWord('era', era, ['legacy', 'modern', 'both']);
  if (grandchild !== undefined) requireWord('grandchild', grandchild, ['plain', 'stubborn']);
  for (const ignored of ignores) requireWord('ignores', ignored, ['stdin-end', 'SIGTERM']);
  if (pages) checkPages(pages);
  checkNoise(noise);
  return {
    era,
    tools: tools.map((tool, index) => resolveTool(tool, `tools[${index}]`)),
    starts: stepsOf('starts', starts, checkStart),
    pages,
    noise,
    ignores,
    grandchild,
  };
}

export function resolveTool(tool: FakeTool, path: string): PlannedTool {
  const keys = ['name', 'description', 'inputSchema', 'outputSchema', 'annotations', 'answers'];
  requireKeys(path, tool, keys);
  if (typeof tool.name !== 'string') throw invalid(`${path}.name`, 'a text', tool.name);
  return { ...tool, answers: stepsOf(`${path}.answers`, tool.answers ?? ['echo'], checkAnswer) };
}

/** @throws {TypeError} Names what this carrier cannot play, and the one that can. */
export function requirePlayable(plan: FakeServerPlan, carrier: FakeCarrier): void {
  const answers = plan.tools.flatMap((tool) => tool.answers);
  const forStdio = [
    ...(Object.keys(plan.noise).length > 0 ? ['noise'] : []),
    ...(plan.ignores.length > 0 ? ['ignores'] : []),
    ...(plan.grandchild ? ['grandchild'] : []),
    ...(answers.includes('close-output') ? ['the answer "close-output"'] : []),
  ];
  if (carrier !== 'stdio' && forStdio[0]) throw unplayable(forStdio[0], carrier, 'stdio()');
  if (carrier === 'http' || !answers.includes('forget-session')) return;
  throw unplayable('the answer "forget-session"', carrier, 'http()');
}

function unplayable(what: string, carrier: FakeCarrier, other: string): TypeError {
  const where = { stdio: 'over stdio', 'in-process': 'in-process', http: 'over HTTP' }[carrier];
  return new TypeError(`The script of this fake server has ${what}, which cannot be played ${where}. Use ${other}.`);
}

function stepsOf<T>(path: string, steps: readonly T[], check: (step: T, path: string) => void): Steps<T> {
  const [first, ...rest] = steps;
  if (first === undefined) throw invalid(path, 'a list with at least one step', steps);
  for (const [index, step] of steps.entries()) check(step, `${path}[${index}]`);
  return [first, ...rest];
}

function checkStart(start: FakeStart, path: string): void {
  if (typeof start === 'string') return void requireWord(path, start, ['works', 'hangs']);
  requireKeys(path, start, ['exit', 'stderr', 'handshakeDelayMs', 'refusal']);
  const kinds = ['exit', 'handshakeDelayMs', 'refusal'].filter((key) => key in start);
  if (kinds.length !== 1) throw invalid(path, 'one of exit, handshakeDelayMs and refusal', start);
  if ('exit' in start) requireWhole(`${path}.exit`, start.exit, 255);
  if ('handshakeDelayMs' in start) requireWhole(`${path}.handshakeDelayMs`, start.handshakeDelayMs);
  if ('refusal' in start) checkError(start.refusal, `${path}.refusal`);
}

function checkAnswer(answer: FakeAnswer, path: string): void {
  if (typeof answer === 'string') {
    return void requireWord(path, answer, ['echo', 'hang', 'close-output', 'forget-session']);
  }
  if (typeof answer === 'object' && answer !== null && 'exit' in answer) {
    requireKeys(path, answer, ['exit']);
    if (typeof answer.exit === 'number') return void requireWhole(`${path}.exit`, answer.exit, 255);
    return void requireWord(`${path}.exit`, answer.exit, ['SIGKILL', 'SIGSEGV', 'SIGABRT', 'SIGTERM']);
  }
  const contents = ['text', 'result', 'error', 'sizeBytes'] as const;
  requireKeys(path, answer, [...contents, 'afterMs', 'progress', 'adds', 'removes', 'announcements']);
  const given = contents.filter((key) => answer[key] !== undefined);
  if (given.length > 1) throw new TypeError(`${path} has ${given.join(' and ')}; one call has one answer`);
  for (const key of ['afterMs', 'progress', 'announcements'] as const) {
    if (answer[key] !== undefined) requireWhole(`${path}.${key}`, answer[key]);
  }
  if (answer.sizeBytes !== undefined) requireWhole(`${path}.sizeBytes`, answer.sizeBytes, 256 * 1_024 * 1_024);
  if (answer.error) checkError(answer.error, `${path}.error`);
  for (const [index, tool] of (answer.adds ?? []).entries()) resolveTool(tool, `${path}.adds[${index}]`);
}

function checkPages(pages: FakePages): void {
  requireKeys('pages', pages, ['size', 'cursor', 'failing']);
  requireWhole('pages.size', pages.size);
  if (pages.size === 0) throw invalid('pages.size', 'at least 1', 0);
  requireWord('pages.cursor', pages.cursor ?? 'plain', ['plain', 'repeated', 'endless', 'empty-text']);
  if (!pages.failing) return;
  requireKeys('pages.failing', pages.failing, ['page', 'times']);
  requireWhole('pages.failing.page', pages.failing.page);
  requireWhole('pages.failing.times', pages.failing.times ?? 1);
}

function checkNoise(noise: FakeNoise): void {
  requireKeys('noise', noise, ['stdout', 'stderrBytes']);
  if (noise.stdout !== undefined) requireWord('noise.stdout', noise.stdout, ['junk']);
  if (noise.stderrBytes !== undefined) requireWhole('noise.stderrBytes', noise.stderrBytes, 1_024 ** 3);
}

function checkError(error: { readonly code: number; readonly message: string }, path: string): void {
  requireKeys(path, error, ['code', 'message', 'data']);
  if (Number.isInteger(error.code) && typeof error.message === 'string') return;
  throw invalid(path, 'a whole number as code and a text as message', error);
}

/** A key with a typing error in it would silently leave a well-behaved server. */
function requireKeys(path: string, value: object, known: readonly string[]): void {
  if (typeof value !== 'object' || value === null) throw invalid(path, 'an object', value);
  const unknown = Object.keys(value).find((key) => !known.includes(key));
  if (unknown === undefined) return;
  throw new TypeError(`${path} has no "${unknown}"; it may have ${known.join(', ')}`);
}

function requireWord(path: string, value: string, words: readonly string[]): void {
  if (!words.includes(value)) throw invalid(path, `one of ${words.map((word) => `"${word}"`).join(', ')}`, value);
}

function requireWhole(path: string, value: number, max = 2_147_483_647): void {
  if (!(Number.isInteger(value) && value >= 0 && value <= max)) {
    throw invalid(path, `a whole number from 0 to ${max}`, value);
  }
}

function invalid(path: string, expected: string, value: unknown): TypeError {
  return new TypeError(`${path} must be ${expected}, got ${JSON.stringify(value)}`);
}
