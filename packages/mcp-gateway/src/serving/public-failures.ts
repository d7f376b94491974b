import type { ToolCallResult } from '@x/internal/contracts';
import { isRecord } from '@x/internal/json';
import { quote } from '@x/internal/text';
import { ViewDecorator } from '@x/internal/views';
import { isRefused } from '../errors.js';
import type { RegistryView } from '../registry.js';

/** Says with the state of a server why it has not listed its tools, in place of its failure. */
export class PublicFailures extends ViewDecorator<RegistryView> {
  override async call(...[name, ...request]: Parameters<RegistryView['call']>): Promise<ToolCallResult> {
    try {
      return await this.inner.call(name, ...request);
    } catch (error) {
      throw withStateOnly(error, name);
    }
  }
}

export function withStateOnly(error: unknown, name: string): unknown {
  return withoutFailure(error, name, (_, { state }) => String(state));
}

/**
 * The registry's message may contain commands, paths and output of the server.
 *
 * @param wordFor - One word for clients.
 */
export function withoutFailure(
  error: unknown,
  name: string,
  wordFor: (server: string, cause: Readonly<Record<string, unknown>>) => string,
): unknown {
  if (isRefused(error) && error.code === 'unknown-tool' && isRecord(error.cause)) {
    const server = String(error.cause.server);
    const reason = wordFor(server, error.cause);
    error.message = `There is no tool named ${quote(name)}; server ${quote(server)} has not listed its tools: ${reason}`;
    error.cause = undefined;
  }
  return error;
}
