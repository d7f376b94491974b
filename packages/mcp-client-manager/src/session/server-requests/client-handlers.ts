import type { ClientHandlerContext } from '@x/internal/contracts';
import { isRecord } from '@x/internal/json';

/**
 * Functions that respond to server requests. The manager announces a capability for each, and refuses all other
 * requests.
 */
export interface ClientHandlers {
  /** `sampling/createMessage`: generates a message with the app's model. Returns `{ role, content, model }`. */
  readonly sampling?: ClientHandler | undefined;
  /** `sampling/createMessage` with `tools` among its params. May be the same function as `sampling`. */
  readonly samplingWithTools?: ClientHandler | undefined;
  /** `elicitation/create` with a form: asks the user for `requestedSchema`. Returns `{ action, content? }`. */
  readonly elicitation?: ClientHandler | undefined;
  /** `elicitation/create` in mode `url`: offers the user a page to open. Returns `{ action }`. */
  readonly urlElicitation?: ClientHandler | undefined;
  /** `roots/list`: the user's working directories. Returns `{ roots: [{ uri, name? }] }`. */
  readonly roots?: ClientHandler | undefined;
  /** `notifications/elicitation/complete`: the user has finished at a URL. The result is ignored. */
  readonly elicitationCompleted?: ClientHandler | undefined;
}

export const handlerNames: readonly string[] = [
  'sampling',
  'samplingWithTools',
  'elicitation',
  'urlElicitation',
  'roots',
  'elicitationCompleted',
] satisfies readonly (keyof ClientHandlers)[];

/**
 * Receives the request's `params` unchanged and returns the result, or a promise of it. Throwing refuses the request:
 * the server receives the error's message, `data` and integer `code`.
 */
export type ClientHandler = (params: Readonly<Record<string, unknown>>, context: ClientHandlerContext) => unknown;

type Capabilities = Readonly<Record<string, unknown>>;

/** One capability for each client handler, merged with those that the app adds. */
export function announcedCapabilities(handlers: ClientHandlers, given: Capabilities = {}): Capabilities {
  const ours = capabilitiesOf(handlers);
  // An empty `elicitation` object means forms. Merging `url` into it must keep them.
  const meansForms = isRecord(given.elicitation) && Object.keys(given.elicitation).length === 0 && ours.elicitation;
  return merged(meansForms ? { ...given, elicitation: { form: {} } } : given, ours);
}

function capabilitiesOf({
  sampling,
  samplingWithTools,
  elicitation,
  urlElicitation,
  roots,
}: ClientHandlers): Capabilities {
  return {
    ...((sampling ?? samplingWithTools) && { sampling: samplingWithTools ? { tools: {} } : {} }),
    ...((elicitation ?? urlElicitation) && {
      elicitation: { ...(elicitation && { form: {} }), ...(urlElicitation && { url: {} }) },
    }),
    ...(roots && { roots: { listChanged: true } }),
  };
}

function merged(given: Capabilities, ours: Capabilities): Capabilities {
  const both = { ...given };
  for (const [key, value] of Object.entries(ours)) {
    const other = Object.hasOwn(given, key) ? given[key] : undefined;
    both[key] = isRecord(value) && isRecord(other) ? merged(other, value) : value;
  }
  return both;
}
