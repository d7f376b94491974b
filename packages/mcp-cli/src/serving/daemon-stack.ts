import { startsRemoteGateway } from '@x/internal/launch';
import { BoundedMap } from '@x/internal/limits';
import type { ManagedServer } from '@x/mcp-client-manager';
import type { RegistryViewOptions } from '@x/mcp-registry';
import type { Stack } from '../compose.js';
import { requireServer } from '../config/read-config.js';
import type { ServeOptions } from './serve-options.js';
import type { ServedStack } from './serve-stack.js';

/** Views that are kept, one for each role and principal: a view lists all tools anew for its first request. */
const maxViews = 1_000;

interface ViewParts {
  readonly interceptors: RegistryViewOptions['interceptors'] | undefined;
  readonly audit: RegistryViewOptions['audit'] | undefined;
}

/**
 * The part of the daemon's servers that one serving offers, with its own interceptors and audit log.
 *
 * @throws {ManagerError} `unknown-server`.
 */
export function stackOf(stack: Stack, options: ServeOptions, parts: ViewParts): ServedStack {
  const names = namesIn(stack, options);
  const isServed = ({ name }: Pick<ManagedServer, 'name'>): boolean => names?.includes(name) ?? true;
  const { manager } = stack;
  return {
    get config() {
      return stack.config;
    },
    get redactor() {
      return stack.redactor;
    },
    waitsForConsent: (server) => stack.waitsForConsent(server),
    runsHere: (server) => stack.runsHere(server),
    manager: {
      servers: () => manager.servers().filter(isServed),
      server: (name) => manager.server(name),
      events: manager.events,
      sendHeaders: (headersFor) => manager.sendHeaders(headersFor),
    },
    registry: registryOf(stack, names === undefined ? parts : { ...parts, servers: names }),
  };
}

/** `undefined`: all, also those that a later config adds. */
function namesIn({ manager, config }: Stack, { servers, names }: ServeOptions): readonly string[] | undefined {
  const remote = names === 'nested' ? new Set(config.servers.filter(startsRemoteGateway).map(({ name }) => name)) : [];
  const isServed = (name: string): boolean => !new Set(remote).has(name);
  const known = manager.servers().filter(({ name }) => isServed(name));
  for (const name of servers) requireServer(known, name);
  if (servers.length > 0) return known.map(({ name }) => name).filter((name) => servers.includes(name));
  return known.length < manager.servers().length ? known.map(({ name }) => name) : undefined;
}

/** The daemon's registry, whose views all have `parts`. */
function registryOf(
  { registry }: Stack,
  parts: ViewParts & { readonly servers?: readonly string[] | undefined },
): ServedStack['registry'] {
  if (Object.values(parts).every((part) => part === undefined)) return registry;
  const given = Object.fromEntries(Object.entries(parts).filter(([, part]) => part !== undefined));
  const views = new BoundedMap<string, ReturnType<typeof registry.view>>(maxViews);
  const view: typeof registry.view = (options = {}) => {
    const key = JSON.stringify(Object.entries(options)); // one that is present and undefined is refused, not left out
    const known = views.get(key) ?? registry.view({ ...options, ...given });
    views.renew(key, known);
    return known;
  };
  const { servers } = parts;
  const whole = view();
  return {
    view,
    policy: (options = {}) => registry.policy({ ...options, ...(servers && { servers }) }),
    diagnostics: () => registry.diagnostics(),
    pins: registry.pins,
    list: () => whole.list(),
    get: (name) => whole.get(name),
    call: (name, args, options) => whole.call(name, args, options),
    events: whole.events,
  };
}
