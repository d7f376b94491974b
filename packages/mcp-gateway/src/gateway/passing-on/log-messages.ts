import { isLarger } from '../../server/message-sizes.js';
import type { GatewayNames } from '../naming/gateway-names.js';
import type { LogLevel, UpstreamEvent, UpstreamLogEntry } from '../upstream.js';

/** Size of a session's event buffer. */
const MAX_ENTRY_BYTES = 256 * 1024;

interface LogMessage extends Readonly<Record<string, unknown>> {
  readonly level: LogLevel;
  readonly logger: string | undefined;
  readonly data: unknown;
}

export class LogMessages {
  readonly #names: GatewayNames;
  readonly #known = new WeakMap<UpstreamLogEntry, LogMessage>();

  constructor(names: GatewayNames) {
    this.#names = names;
  }

  /** Returns the same object for the same entry, so that many streams serialize it once. */
  of(entry: UpstreamEvent & UpstreamLogEntry): LogMessage {
    const known = this.#known.get(entry);
    if (known !== undefined) return known;
    const { server, level, logger, data } = entry;
    const isTooLarge = isLarger([logger, data], MAX_ENTRY_BYTES);
    const message = isTooLarge
      ? { level, logger: this.#names.logger(server, undefined), data: tooLarge(server) }
      : { level, logger: this.#names.logger(server, logger), data };
    this.#known.set(entry, message);
    return message;
  }
}

function tooLarge(server: string): string {
  return `A log entry of server "${server}" was left out: it is larger than ${MAX_ENTRY_BYTES} bytes.`;
}
