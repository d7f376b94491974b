import { isRecord } from '@x/internal/json';
import type { CallHandler } from '@x/mcp-client-manager';
import type { HandleServerRequest } from '../control/control.js';
import type { ControlBase } from '../control/control-base.js';

/** Declared to servers: forms and pages. */
export const commandCapabilities = { elicitation: { form: {}, url: {} } } as const;

/** A server request for the user of a command. The response is the result of `elicitation/create`. */
export interface ElicitationRequest {
  readonly method: 'elicitation/create';
  readonly server: string;
  readonly params: Readonly<Record<string, unknown>>;
}

/** Owner of all commands of the user: they have one share of a server's turns. */
const commands = Symbol('commands');

/** The client of one call of a command. Requests of its server reach that command alone. */
export function commandClient(
  onServerRequest: HandleServerRequest,
  { redactData }: Pick<ControlBase, 'redactData'>,
): CallHandler {
  return {
    client: {},
    owner: commands,
    capabilities: commandCapabilities,
    answer: async ({ params }, { server, signal }) => {
      const shown = redactData(params);
      const { url } = params; // a changed address would lead elsewhere
      const question: ElicitationRequest = {
        method: 'elicitation/create',
        server,
        params: url === undefined ? shown : { ...shown, url },
      };
      const response = await onServerRequest(question, { signal });
      if (!isRecord(response)) throw new TypeError('The response of the command must be an object');
      return response;
    },
  };
}
