import { pause } from '@x/internal/async';
import { isRecord } from '@x/internal/json';
import { ManagerError } from '../../errors.js';
import type { Params, RawResult } from '../peer/json-rpc.js';
import { SessionLostError } from '../session.js';
import type { CallHandler } from './call-handler.js';
import type { ServerRequestRouter } from './server-request-router.js';

const maxRounds = 10;
/** A server that names no input asks for a later retry. */
const pauseMs = 250;

interface InputRequiredOptions {
  readonly server: string;
  readonly what: string;
  readonly params: Params;
  readonly signal: AbortSignal;
  readonly serverRequests: ServerRequestRouter;
  readonly handler: CallHandler | undefined;
  readonly send: (params: Params) => Promise<RawResult>;
}

/**
 * Repeats a request until its result is complete. From revision 2026-07-28 on, a server that needs input returns
 * `input_required` with its requests. The request then goes out again with the responses and the server's unchanged
 * `requestState`.
 *
 * @throws {ManagerError} `input-refused`: a handler refused. `server-error`: more than 10 rounds.
 */
export async function completeInput(
  first: RawResult,
  { send, params, ...options }: InputRequiredOptions,
): Promise<RawResult> {
  let result = first;
  for (let round = 1; result.resultType === 'input_required'; round += 1) {
    if (round > maxRounds) throw tooManyRounds(options);
    const { inputRequests, requestState } = result;
    const requests = isRecord(inputRequests) ? Object.entries(inputRequests) : [];
    if (requests.length === 0) await pause(pauseMs, options.signal);
    const inputResponses = await answerAll(requests, options);
    result = await send({
      ...params,
      ...(requests.length > 0 && { inputResponses }),
      ...(requestState !== undefined && { requestState }),
    });
  }
  return result;
}

type Answering = Omit<InputRequiredOptions, 'send' | 'params'>;

/** In parallel. The first refusal aborts the others. */
async function answerAll(
  requests: readonly (readonly [key: string, request: unknown])[],
  options: Answering,
): Promise<Params> {
  const others = new AbortController();
  const signal = AbortSignal.any([options.signal, others.signal]);
  try {
    const answers = requests.map(
      async ([key, request]) => [key, await answerOne(request, { ...options, signal })] as const,
    );
    return Object.fromEntries(await Promise.all(answers));
  } catch (error) {
    others.abort(error);
    throw error;
  }
}

async function answerOne(
  request: unknown,
  { serverRequests, handler, server, what, signal }: Answering,
): Promise<unknown> {
  const { method, params } = isRecord(request) ? request : {};
  try {
    return await serverRequests.answer(
      { method: String(method), params: isRecord(params) ? params : {} },
      signal,
      handler,
    );
  } catch (cause) {
    signal.throwIfAborted();
    if (cause instanceof SessionLostError) throw cause; // the connection is gone
    const why = cause instanceof Error ? cause.message : String(cause);
    const message = `Server "${server}" needs "${String(method)}" for ${what}, and the client refused it: ${why}`;
    throw new ManagerError('input-refused', message, { server, cause });
  }
}

function tooManyRounds({ server, what }: Answering): ManagerError {
  const message = `Server "${server}" asked for input ${maxRounds} times without finishing ${what}.`;
  return new ManagerError('server-error', message, { server });
}
