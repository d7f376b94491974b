import { readFileSync } from 'node:fs';
import { messageOf } from '@x/internal/errors';
import { longestTimerMs } from '@x/internal/options';
import { parseRecording, type Recording } from '@x/internal/recording';
import type {
  FakeAnswer,
  FakeEra,
  FakeError,
  FakeNoise,
  FakePages,
  FakeReply,
  FakeServerScript,
  FakeStart,
  FakeTool,
} from './fake-server-script.js';

type FakeCarrier = 'stdio' | 'in-process' | 'http';

export interface FakeServerPlan {
  readonly recording: Recording | undefined;
  readonly era: FakeEra;
  readonly tools: readonly PlannedTool[];
  readonly starts: Steps<FakeStart>;
  readonly pages: FakePages | undefined;
  readonly noise: FakeNoise;
  readonly ignores: readonly string[];
  readonly grandchild: 'plain' | 'stubborn' | undefined;
}

export type PlannedTool = FakeTool & { readonly answers: Steps<FakeAnswer> };

/** Played in order; the last one repeats. */
export type Steps<T> = readonly [T, ...T[]];

/** Most messages of one call, such as progress notifications. */
const maxMessages = 10_000;

/** @throws {TypeError} Names the invalid place in the script. */
export function resolveScript(script: FakeServerScript = {}): FakeServerPlan {
  requireKeys('script', script, ['era', 'tools', 'starts', 'pages', 'noise', 'ignores', 'grandchild', 'recording']);
  const { recording, ...others } = script;
  if (recording !== undefined) requireAlone(others);
  const { era = 'both', tools = [{ name: 'echo' }], starts = ['works'], pages, noise = {} } = script;
  const { ignores = [], grandchild } = script;
  requireWord('era', era, ['legacy', 'modern', 'both']);
  if (grandchild !== undefined) requireWord('grandchild', grandchild, ['plain', 'stubborn']);
  requireList('ignores', ignores);
  for (const ignored of ignores) requireWord('ignores', ignored, ['stdin-end', 'SIGTERM']);
  if (pages !== undefined) checkPages(pages);
  checkNoise(noise);
  return {
    recording: recording === undefined ? undefined : readRecording(recording),
    era,
    tools: resolveTools(tools, 'tools'),
    starts: stepsOf('starts', starts, checkStart),
    pages,
    noise,
    ignores,
    grandchild,
  };
}

function requireAlone(others: Omit<FakeServerScript, 'recording'>): void {
  const other = Object.entries(others).find(([, value]) => value !== undefined)?.[0];
  if (other !== undefined) throw new TypeError(`script.recording cannot be combined with script.${other}`);
}

/** @throws {TypeError} The file cannot be read, or is no recording. */
function readRecording(path: string): Recording {
  requireText('script.recording', path);
  try {
    return parseRecording(readFileSync(path, 'utf8'));
  } catch (cause) {
    throw new TypeError(`script.recording "${path}" cannot be played: ${messageOf(cause)}`, { cause });
  }
}

export function resolveTools(tools: readonly FakeTool[], path: string): readonly PlannedTool[] {
  requireList(path, tools);
  return tools.map((tool, index) => resolveTool(tool, `${path}[${index}]`));
}

/** @throws {TypeError} Names the feature that this carrier does not support, and a carrier that does. */
export function requirePlayable(plan: FakeServerPlan, carrier: FakeCarrier): void {
  const answers = plan.tools.flatMap(answersOf);
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

function answersOf({ answers = [] }: FakeTool): readonly FakeAnswer[] {
  return answers.flatMap((answer) => {
    const later = typeof answer === 'object' && 'adds' in answer ? answer.adds : undefined;
    return [answer, ...(later ?? []).flatMap(answersOf)];
  });
}

function unplayable(what: string, carrier: FakeCarrier, other: string): TypeError {
  const where = { stdio: 'over stdio', 'in-process': 'in-process', http: 'over HTTP' }[carrier];
  return new TypeError(`The script of this fake server has ${what}, which cannot be played ${where}. Use ${other}.`);
}

function resolveTool(tool: FakeTool, path: string): PlannedTool {
  const schemas = ['inputSchema', 'outputSchema', 'annotations'] as const;
  requireKeys(path, tool, ['name', 'description', ...schemas, 'answers']);
  const { name, description, answers = ['echo'] } = tool;
  requireText(`${path}.name`, name);
  if (description !== undefined) requireText(`${path}.description`, description);
  for (const key of schemas) {
    if (tool[key] !== undefined) requireObject(`${path}.${key}`, tool[key]);
  }
  return { ...tool, answers: stepsOf(`${path}.answers`, answers, checkAnswer) };
}

function stepsOf<T>(path: string, steps: readonly T[], check: (step: T, path: string) => void): Steps<T> {
  requireList(path, steps);
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
  if ('stderr' in start) {
    if (!('exit' in start))
      throw new TypeError(`${path} has stderr without exit; only a start that exits writes stderr`);
    requireText(`${path}.stderr`, start.stderr);
  }
  if ('exit' in start) requireWhole(`${path}.exit`, start.exit, { max: 255 });
  if ('handshakeDelayMs' in start) requireWhole(`${path}.handshakeDelayMs`, start.handshakeDelayMs);
  if ('refusal' in start) checkError(start.refusal, `${path}.refusal`);
}

function checkAnswer(answer: FakeAnswer, path: string): void {
  if (typeof answer === 'string') {
    return void requireWord(path, answer, ['echo', 'hang', 'close-output', 'forget-session']);
  }
  requireObject(path, answer);
  if ('exit' in answer) checkDeath(answer, path);
  else checkReply(answer, path);
}

function checkDeath(answer: Extract<FakeAnswer, { exit: unknown }>, path: string): void {
  requireKeys(path, answer, ['exit']);
  if (typeof answer.exit === 'number') requireWhole(`${path}.exit`, answer.exit, { max: 255 });
  else requireWord(`${path}.exit`, answer.exit, ['SIGKILL', 'SIGSEGV', 'SIGABRT', 'SIGTERM']);
}

function checkReply(reply: FakeReply, path: string): void {
  const contents = ['text', 'result', 'error', 'sizeBytes'] as const;
  requireKeys(path, reply, [...contents, 'afterMs', 'progress', 'adds', 'removes', 'announcements']);
  const given = contents.filter((key) => reply[key] !== undefined);
  if (given.length > 1) throw new TypeError(`${path} has ${given.join(' and ')}; one call has one answer`);
  const { text, result, error, sizeBytes, afterMs, progress, adds, removes, announcements } = reply;
  if (text !== undefined) requireText(`${path}.text`, text);
  if (result !== undefined) requireObject(`${path}.result`, result);
  if (error !== undefined) checkError(error, `${path}.error`);
  if (sizeBytes !== undefined) requireWhole(`${path}.sizeBytes`, sizeBytes, { max: 256 * 1_024 * 1_024 });
  if (afterMs !== undefined) requireWhole(`${path}.afterMs`, afterMs);
  if (progress !== undefined) requireWhole(`${path}.progress`, progress, { max: maxMessages });
  if (announcements !== undefined) requireWhole(`${path}.announcements`, announcements, { max: maxMessages });
  if (adds !== undefined) resolveTools(adds, `${path}.adds`);
  if (removes === undefined) return;
  requireList(`${path}.removes`, removes);
  for (const [index, name] of removes.entries()) requireText(`${path}.removes[${index}]`, name);
}

function checkPages(pages: FakePages): void {
  requireKeys('pages', pages, ['size', 'cursor', 'failing']);
  const { size, cursor = 'plain', failing } = pages;
  requireWhole('pages.size', size, { min: 1 });
  requireWord('pages.cursor', cursor, ['plain', 'repeated', 'endless', 'empty-text']);
  if (failing === undefined) return;
  requireKeys('pages.failing', failing, ['page', 'times']);
  requireWhole('pages.failing.page', failing.page, { min: 1 });
  requireWhole('pages.failing.times', failing.times ?? 1);
}

function checkNoise(noise: FakeNoise): void {
  requireKeys('noise', noise, ['stdout', 'stderrBytes']);
  if (noise.stdout !== undefined) requireWord('noise.stdout', noise.stdout, ['junk']);
  if (noise.stderrBytes !== undefined) requireWhole('noise.stderrBytes', noise.stderrBytes, { max: 1_024 ** 3 });
}

function checkError(error: FakeError, path: string): void {
  requireKeys(path, error, ['code', 'message', 'data']);
  if (Number.isInteger(error.code) && typeof error.message === 'string') return;
  throw invalid(path, 'an integer as code and a string as message', error);
}

/** Rejects unknown keys: a misspelt one would silently leave a well-behaved server. */
function requireKeys(path: string, value: unknown, known: readonly string[]): asserts value is object {
  requireObject(path, value);
  const unknown = Object.keys(value).find((key) => !known.includes(key));
  if (unknown === undefined) return;
  throw new TypeError(`${path} has no "${unknown}"; it may have ${known.join(', ')}`);
}

function requireObject(path: string, value: unknown): asserts value is object {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw invalid(path, 'an object', value);
}

function requireList(path: string, value: unknown): asserts value is readonly unknown[] {
  if (!Array.isArray(value)) throw invalid(path, 'a list', value);
}

function requireText(path: string, value: unknown): asserts value is string {
  if (typeof value !== 'string') throw invalid(path, 'a string', value);
}

function requireWord(path: string, value: unknown, words: readonly string[]): void {
  if (typeof value === 'string' && words.includes(value)) return;
  throw invalid(path, `one of ${words.map((word) => `"${word}"`).join(', ')}`, value);
}

function requireWhole(
  path: string,
  value: unknown,
  { min = 0, max = longestTimerMs }: { readonly min?: number; readonly max?: number } = {},
): void {
  if (Number.isInteger(value) && Number(value) >= min && Number(value) <= max) return;
  throw invalid(path, `a whole number from ${min} to ${max}`, value);
}

function invalid(path: string, expected: string, value: unknown): TypeError {
  return new TypeError(`${path} must be ${expected}, got ${JSON.stringify(value)}`);
}
