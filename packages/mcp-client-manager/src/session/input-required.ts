import { pause } from '@x/internal/async';
import { isRecord } from '@x/internal/json';
import { ManagerError } from '../errors.js';
import type { CallHost } from './call-host.js';
import type { HostRequests } from './host-requests.js';
import type { Params, RawResult } from './json-rpc.js';
import { SessionLostError } from './session.js';

/** How often one request may come back asking for input. */
const maxRounds = 10;
/** Wait before a request is sent again for which nothing was asked, in milliseconds: the server wants it later. */
const pauseMs = 250;

export interface InputRequiredOptions {
  readonly server: string;
  /** What is asked, for messages: `the call of "x"`. */
  readonly what: string;
  readonly params: Params;
  readonly signal: AbortSignal;
  readonly answers: HostRequests;
  /** Answers instead of the manager's handlers. */
  readonly host: CallHost | undefined;
  /** Sends the request once more. */
  readonly send: (params: Params) => Promise<RawResult>;
}

/**
 * Sends a request again until its result is complete: from revision 2026-07-28 on, a server that needs something of the
 * host answers with what it needs, and the request is sent again with the answers and with the server's own
 * `requestState`, which is passed on unread.
 *
 * @param first - The first such result.
 * @throws {ManagerError} `input-refused`: the host did not give what the server needs. `server-error`: it asked for ever.
 */
export async function completeInput(
  first: RawResult,
  { send, params, ...options }: InputRequiredOptions,
): Promise<RawResult> {
  let result = first;
  for (let round = 1; result.resultType === 'input_required'; round += 1) {
    if (round > maxRounds) throw askedForEver(options);
    const { inputRequests, requestState } = result;
    const wanted = isRecord(inputRequests) ? Object.entries(inputRequests) : [];
    if (wanted.length === 0) await pause(pauseMs, options.signal);
    const inputResponses = await answerAll(wanted, options);
    result = await send({
      ...params,
      ...(wanted.length > 0 && { inputResponses }),
      ...(requestState !== undefined && { requestState }),
    });
  }
  return result;
}

type Answering = Omit<InputRequiredOptions, 'send' | 'params'>;

/** Asks the host for all of it at once. The first refusal ends the others. */
async function answerAll(
  wanted: readonly (readonly [key: string, request: unknown])[],
  options: Answering,
): Promise<Params> {
  const others = new AbortController();
  const signal = AbortSignal.any([options.signal, others.signal]);
  try {
    const answers = wanted.map(
      async ([key, request]) => [key, await answerOne(request, { ...options, signal })] as const,
    );
    return Object.fromEntries(await Promise.all(answers));
  } catch (error) {
    others.abort(error);
    throw error;
  }
}

async function answerOne(request: unknown, { answers, host, server, what, signal }: Answering): Promise<unknown> {
  const { method, params } = isRecord(request) ? request : {};
  try {
    return await answers.answer({ method: String(method), params: isRecord(params) ? params : {} }, signal, host);
  } catch (cause) {
    signal.throwIfAborted();
    if (cause instanceof SessionLostError) throw cause; // nobody is left to be given anything
    const why = cause instanceof Error ? cause.message : String(cause);
    const message = `Server "${server}" needs "${String(method)}" of the host for ${what}, and did not get it: ${why}`;
    throw new ManagerError('input-refused', message, { server, cause });
  }
}

function askedForEver({ server, what }: Answering): ManagerError {
  const message = `Server "${server}" asked for input ${maxRounds} times and was not done with ${what}.`;
  return new ManagerError('server-error', message, { server });
}
