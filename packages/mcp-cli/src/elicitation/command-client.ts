import { isRecord } from '@x/internal/json';
import { BoundedMap } from '@x/internal/limits';
import { requiredPages } from '@x/internal/required-pages';
import type { CallHandler } from '@x/mcp-client-manager';
import packageJson from '../../package.json' with { type: 'json' };
import type { HandleServerRequest } from '../control/control.js';
import type { ControlBase } from '../control/control-base.js';

/** Declared to servers: forms and pages. */
export const commandCapabilities = { elicitation: { form: {}, url: {} } } as const;

/**
 * A question for the user of a command. The response to `elicitation/create` is its result; the one to `visited`, after
 * pages that the server requires, has the same form: `accept` makes the request again.
 */
export interface ElicitationRequest {
  readonly method: 'elicitation/create' | 'elicitation/visited';
  readonly server: string;
  /** Name of the client whose call it is about. Default: the command's own call. */
  readonly client?: string;
  readonly params: Readonly<Record<string, unknown>>;
}

/** Owner of all commands of the user: they have one share of a server's turns. */
const commands = Symbol('commands');

type Redaction = Pick<ControlBase, 'redactData'>;

/** One client for all calls under a name: a server may ask it without naming the call. */
const named = new BoundedMap<string, object>(100);

function clientNamed(name: string): object {
  const client = named.get(name) ?? {};
  named.set(name, client);
  return client;
}

/**
 * The client of one call of a command. Requests of its server reach that command alone.
 *
 * @param name - In audit events. Default: `mcpx`.
 */
export function commandClient(onServerRequest: HandleServerRequest, base: Redaction, name?: string): CallHandler {
  return {
    client: name === undefined ? {} : clientNamed(name),
    owner: commands,
    clientInfo: { name: name ?? 'mcpx', version: packageJson.version },
    capabilities: commandCapabilities,
    answer: async ({ params }, { server, signal }) => {
      const response = await onServerRequest(elicitationQuestion(server, params, base), { signal });
      if (!isRecord(response)) throw new TypeError('The response of the command must be an object');
      return response;
    },
  };
}

export function elicitationQuestion(
  server: string,
  params: ElicitationRequest['params'],
  { redactData }: Redaction,
): ElicitationRequest {
  const shown = redactData(params);
  const { url } = params; // a changed address would lead elsewhere
  return { method: 'elicitation/create', server, params: url === undefined ? shown : { ...shown, url } };
}

interface Asking {
  readonly server: string | undefined;
  readonly onServerRequest: HandleServerRequest | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Makes a request. If its server requires the user to visit pages first, asks about each of them and, once the user has
 * been there, makes the request again.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/client/elicitation#url-elicitation-required-error
 */
export async function afterPages<Result>(
  request: () => Promise<Result>,
  { server = 'server', onServerRequest, signal = new AbortController().signal }: Asking,
  base: Redaction,
): Promise<Result> {
  for (;;) {
    try {
      return await request();
    } catch (error) {
      const pages = isRecord(error) ? requiredPages(error.rpc) : [];
      if (pages.length === 0 || onServerRequest === undefined) throw error;
      const isAccepted = async (asked: ElicitationRequest): Promise<boolean> => {
        const response = await onServerRequest(asked, { signal });
        return isRecord(response) && response.action === 'accept';
      };
      for (const page of pages) {
        if (!(await isAccepted(elicitationQuestion(server, { ...page, mode: 'url' }, base)))) throw error;
      }
      if (!(await isAccepted({ method: 'elicitation/visited', server, params: {} }))) throw error;
    }
  }
}
