import { ProtocolError, SdkError, SdkErrorCode, SdkHttpError } from '@modelcontextprotocol/client';
import { ManagerError } from '../errors.js';
import { ChannelClosedError } from '../transport/message-channel.js';
import { resultTooLargeCode } from '../transport/oversized-message.js';
import { describeHttpFailure, failedBeforeSending, isNetworkFailure } from './http-failure.js';
import { SessionLostError } from './session.js';

/** Whatever a call of a tool failed with, as one of our own errors. */
export function callError(error: unknown, { server, tool }: { server: string; tool: string }): Error {
  if (error instanceof ProtocolError) return refusedCall(error, { server, tool });
  if (error instanceof ChannelClosedError || isNotConnected(error)) {
    return new SessionLostError('The connection was closed before the request was sent', { sent: false, cause: error });
  }
  if (isSdkError(error, SdkErrorCode.ConnectionClosed)) {
    return new SessionLostError('The connection was closed after the request was sent', { sent: true, cause: error });
  }
  if (isNetworkFailure(error)) {
    const sent = !failedBeforeSending(error);
    return new SessionLostError(`For the call of "${tool}", ${describeHttpFailure(error)}`, { sent, cause: error });
  }
  if (error instanceof TypeError) return error; // arguments that cannot be written as JSON
  const what =
    error instanceof SdkHttpError ? describeHttpFailure(error) : 'it answered with something that is no valid result';
  const message = `Server "${server}" failed the call of "${tool}": ${what}.`;
  return new ManagerError('server-error', message, { server, cause: error });
}

function refusedCall(error: ProtocolError, { server, tool }: { server: string; tool: string }): ManagerError {
  const rpc = { code: error.code, message: error.message, data: error.data };
  const code = error.code === resultTooLargeCode ? 'result-too-large' : 'server-error';
  const message = `Server "${server}" answered the call of "${tool}" with an error: ${error.message} (${error.code})`;
  return new ManagerError(code, message, { server, rpc, cause: error });
}

/** The SDK's answer to a request on a closed client, before anything is sent. It has a code in some places only. */
function isNotConnected(error: unknown): boolean {
  return isSdkError(error, SdkErrorCode.NotConnected) || (error instanceof Error && error.message === 'Not connected');
}

function isSdkError(error: unknown, code: SdkErrorCode): boolean {
  return error instanceof SdkError && error.code === code;
}
