import { startsRemoteGateway } from '@x/internal/launch';
import type { ManagedServer } from '@x/mcp-client-manager';
import type { RegistryViewOptions } from '@x/mcp-registry';
import type { Stack } from '../compose.js';
import { requireServer } from '../config/read-config.js';
import type { ServeOptions } from './serve-options.js';
import type { ServedStack } from './serve-stack.js';

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
  const views = new Map<string | undefined, ReturnType<typeof registry.view>>();
  const view: typeof registry.view = (options = {}) => {
    const { principal, role, servers } = options;
    if (principal !== undefined || servers !== undefined) return registry.view({ ...options, ...given });
    const known = views.get(role) ?? registry.view({ ...options, ...given });
    views.set(role, known);
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
