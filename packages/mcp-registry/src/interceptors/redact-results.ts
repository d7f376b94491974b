import { isRecord, isSameJson } from '@x/internal/json';
import { optionTable } from '@x/internal/options';
import { createRedactor } from '@x/internal/secrets';
import type { Interceptor, RequestResult, ToolView } from '@x/internal/views';

/** Options of `redactResults`. */
export interface RedactResultsOptions {
  /**
   * Secrets, or a function that returns a value of JSON without them. Secrets of four characters or more are hidden as
   * `***`, also in base64, hexadecimal and URL-encoded form, and in keys. `redactData` of the config package fits.
   */
  readonly redact: readonly string[] | ((value: unknown) => unknown);
}

const redactOptions = optionTable<RedactResultsOptions>()({
  redact: { kind: 'other', required: true, check: redactFault },
});

type Redact = (value: unknown) => unknown;

/**
 * Hides secrets in what servers send to callers: results, structured content, resources, prompts, errors, progress,
 * log entries, questions, tasks, completions and lists, with the definitions of tools. Instructions of servers and
 * annotations of tools do not pass it. Put it last, so that other interceptors get no secrets.
 *
 * @throws {TypeError} naming the invalid option.
 */
export function redactResults(options: RedactResultsOptions): Interceptor {
  const redact = redactorFrom(redactOptions.read(options).redact);
  const hideErrors = async <Result>(next: () => Promise<Result>): Promise<Result> => {
    try {
      return await next();
    } catch (error) {
      hideInError(error, redact);
      throw error;
    }
  };
  const hideAll = async (next: () => Promise<RequestResult>) => redacted(await hideErrors(next), redact);
  return {
    name: 'redact-results',
    list: (tool) => redactedTool(tool, redact),
    call: (_call, next) => hideErrors(next),
    result: (result) => redacted(result, redact),
    read: (_read, next) => hideAll(next),
    getPrompt: (_prompt, next) => hideAll(next),
    message: ({ body }) => redacted(body, redact),
  };
}

function redactFault(redact: unknown): string | undefined {
  if (typeof redact === 'function') return undefined;
  const isList = Array.isArray(redact) && redact.every((each) => typeof each === 'string');
  return isList ? undefined : 'a list of secrets or a function';
}

function redactorFrom(given: RedactResultsOptions['redact']): Redact {
  if (typeof given === 'function') return given;
  const redactor = createRedactor(given);
  return (value) => redactor.redactData(value);
}

/** The same object if it has no secret. */
function redacted<Result extends RequestResult>(result: Result, redact: Redact): Result {
  const shown = redact(result);
  if (!isRecord(shown)) throw new TypeError('redact() returned no object for an object');
  return isSameJson(shown, result) ? result : (shown as Result);
}

/** A tool whose schema has a secret in a name or value is called with `***` there, which its server refuses. */
function redactedTool(tool: ToolView, redact: Redact): ToolView {
  const { title, description, inputSchema, outputSchema, _meta } = tool;
  const definition = { title, description, inputSchema, outputSchema, _meta };
  const shown = redacted(definition, redact);
  return shown === definition ? tool : { ...tool, ...shown };
}

const ERROR_FIELDS = ['message', 'stack', 'data', 'rpc', 'stderrTail', 'reason'] as const;

/** The error stays the same object, so that its code reaches the caller. Fields without a secret are not written. */
function hideInError(error: unknown, redact: Redact, seen = new Set<unknown>()): void {
  if (!(error instanceof Error) || seen.has(error)) return;
  seen.add(error);
  const fields = error as { [Name in (typeof ERROR_FIELDS)[number]]?: unknown };
  for (const name of ERROR_FIELDS) {
    const value = fields[name];
    if (value === undefined || typeof value === 'function') continue;
    const shown = redact(value);
    if (!isSameJson(shown, value)) fields[name] = shown;
  }
  hideInError(error.cause, redact, seen);
  if (error instanceof AggregateError) for (const each of error.errors) hideInError(each, redact, seen);
}
