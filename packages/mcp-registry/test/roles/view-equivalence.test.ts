import { textResult, tool } from '@x/test-servers';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Registry, RegistryView, SearchRequest, ToolSource } from '../../src/index.js';
import { createRegistry } from '../../src/registry.js';
import type { RoleRule } from '../../src/roles.js';
import type { SourceTool } from '../../src/sources.js';
import { createConstantSurface } from '../../src/views/constant-surface.js';

interface ToolPlan {
  readonly name: string;
  readonly words: readonly string[];
  readonly isReadOnly: boolean;
}

const SERVERS = ['a', 'a.b', 'my files', '__proto__'];
const NATIVES = ['note', 'read_all', 'toString'];
const serverName = fc.constantFrom(...SERVERS);
const toolName = fc.constantFrom('read_x', 'read_y', 'b.read_x', 'write_x', 'list', 'constructor');
const word = fc.constantFrom('read', 'reads', 'file', 'x', 'note', 'write', 'list', 'the', 'secret');
const toolPlan = fc.record({ name: toolName, words: fc.array(word, { maxLength: 5 }), isReadOnly: fc.boolean() });
const toolList = fc.uniqueArray(toolPlan, { selector: ({ name }) => name, maxLength: 5 });
/** What each server offers, and then offers instead. */
const catalogue = fc.uniqueArray(fc.record({ server: serverName, first: toolList, later: toolList }), {
  selector: ({ server }) => server,
});
const natives = fc.uniqueArray(fc.constantFrom(...NATIVES));

const pattern = fc.oneof(
  serverName,
  fc.constantFrom(...NATIVES),
  fc.tuple(serverName, fc.oneof(toolName, fc.constantFrom('*', 'read_*', '*x'))).map((parts) => parts.join('.')),
);
const rules = fc
  .array(
    fc.record({
      role: fc.nat({ max: 2 }),
      allowedTools: fc.array(pattern, { maxLength: 4 }),
      deniedTools: fc.array(fc.oneof(pattern, fc.constantFrom('*.write_x', 'a*')), { maxLength: 1 }),
      requiredAnnotations: fc.option(fc.constant({ readOnlyHint: true }), { nil: undefined }),
      inherits: fc.array(fc.nat({ max: 1 }), { maxLength: 1 }),
    }),
    { maxLength: 4 },
  )
  .map((list): RoleRule[] =>
    list.map((rule) => ({
      ...rule,
      role: `r${rule.role}`,
      inherits: rule.inherits
        .filter((parent) => parent < rule.role && list.some(({ role }) => role === parent))
        .map((parent) => `r${parent}`),
    })),
  );

const REQUESTS: readonly SearchRequest[] = [
  { query: '*', limit: 100 },
  { query: '', server: 'a' },
  { query: 'read the file', limit: 2 },
  { query: 'secret write', detail: 'full' },
  { query: 'mcp__a__read_x' },
  { query: 'raed_x' },
  { query: 'x', server: 'my files' },
  { query: 'zzz' },
  { query: '^read', useRegex: true },
  { query: '.', useRegex: true, limit: 100, detail: 'names' },
  { query: '(', useRegex: true },
];

/** Cursors hold a number that is different for each view. They stand in texts, too. */
function withoutCursor(value: unknown): unknown {
  const text = JSON.stringify(value).replaceAll(/nextCursor(\\*"):\\*"[^"\\]*/g, 'nextCursor$1:$1');
  return JSON.parse(text.replaceAll(/, cursor [\w.-]+/g, ', cursor'));
}

async function outcomeOf(run: () => unknown): Promise<unknown> {
  try {
    return { value: withoutCursor((await run()) ?? null) };
  } catch (error) {
    const { message, ...fields } = error as Error;
    return { error: withoutCursor({ ...fields, message }) };
  }
}

/** Everything that can be asked of a view. */
async function answersOf(view: RegistryView, names: readonly string[]): Promise<unknown> {
  const surface = createConstantSurface(view);
  const answers: unknown[] = [view.revision, view.list(), surface.list()];
  for (const request of REQUESTS) {
    answers.push(await outcomeOf(() => view.search(request)));
    answers.push(await outcomeOf(() => view.call('search_mcp_tools', { ...request })));
  }
  for (const name of names) {
    answers.push(view.get(name) ?? null, (await view.describe(name)) ?? null);
    answers.push(await outcomeOf(() => view.call(name, {})));
    answers.push(await outcomeOf(() => surface.call('call_mcp_tool', { name })));
    answers.push(await outcomeOf(() => surface.call('call_mcp_tool', { name: 'call_mcp_tool', arguments: { name } })));
  }
  return answers;
}

interface PlainSource extends ToolSource {
  listTools(): readonly SourceTool[];
  readonly called: readonly string[];
  offer(tools: readonly SourceTool[]): void;
}

/** A source that answers without a promise, so that what it offers is there when `offer` returns. */
function createPlainSource(name: string, tools: readonly SourceTool[]): PlainSource {
  const called: string[] = [];
  let offered = tools;
  let announce = () => {};
  return {
    name,
    called,
    listTools: () => offered,
    callTool: async (own) => {
      called.push(own);
      return textResult(own);
    },
    onToolsChanged: (listener) => {
      announce = listener;
      return { [Symbol.dispose]: () => undefined };
    },
    offer: (next) => {
      offered = next;
      announce();
    },
  };
}

interface World {
  readonly registry: Registry;
  readonly view: RegistryView;
  readonly told: unknown[];
  readonly sources: ReadonlyMap<string, PlainSource>;
  offer(server: string, tools: readonly ToolPlan[]): void;
}

/** A registry that offers only what `isOffered` says. */
function createWorld(
  roles: readonly RoleRule[],
  role: string,
  isOffered: (server: string | undefined, plan: ToolPlan) => boolean,
): World {
  const registry = createRegistry({ roles });
  const view = registry.view({ role });
  const told: unknown[] = [];
  view.events.on('tools-changed', (change) => told.push(change));
  const sources = new Map<string, PlainSource>();
  const offer = (server: string, tools: readonly ToolPlan[]) => {
    const offered = tools.filter((plan) => isOffered(server, plan)).map(toTool);
    const known = sources.get(server);
    if (known !== undefined) return known.offer(offered);
    const source = createPlainSource(server, offered);
    sources.set(server, source);
    registry.attach(source);
  };
  return { registry, view, told, sources, offer };
}

function toTool({ name, words, isReadOnly }: ToolPlan) {
  return tool(name, { description: words.join(' '), annotations: { readOnlyHint: isReadOnly } });
}

test('a view of a role answers as the registry would that has nothing but what the role may use', async () => {
  await fc.assert(
    fc.asyncProperty(
      rules,
      catalogue,
      natives,
      fc.constantFrom('r0', 'r1', 'r2', 'unknown'),
      async (roles, servers, nativeNames, role) => {
        const whole = createWorld(roles, role, () => true);
        const policy = whole.registry.policy({ role });
        const only = createWorld(roles, role, (server, { name, isReadOnly }) => {
          return policy({ server, tool: name, annotations: { readOnlyHint: isReadOnly } }).isAllowed;
        });
        for (const { server, first } of servers) {
          whole.offer(server, first);
          only.offer(server, first);
        }
        for (const name of nativeNames) {
          const definition = { name, description: `Takes a ${name}` };
          whole.registry.register(definition, () => name);
          if (policy({ server: undefined, tool: name }).isAllowed) only.registry.register(definition, () => name);
        }
        const names = [
          ...whole.registry.list().map(({ name }) => name),
          'mcp__a__read_z',
          'a.read_x',
          'read_x',
          'write_x',
        ];
        expect(await answersOf(whole.view, names)).toEqual(await answersOf(only.view, names));

        for (const { server, later } of servers) {
          whole.offer(server, later);
          only.offer(server, later);
        }
        const more = [...new Set([...names, ...whole.registry.list().map(({ name }) => name)])];
        expect(await answersOf(whole.view, more)).toEqual(await answersOf(only.view, more));
        expect(whole.told).toEqual(only.told);
        for (const world of [whole, only]) {
          for (const [server, source] of world.sources) {
            const shown = world.registry.list().filter((view) => view.server === server);
            expect(shown).toHaveLength(source.listTools().length);
          }
        }

        // And nothing reached a server that the role may not call.
        for (const [server, source] of whole.sources) {
          for (const called of source.called) {
            const { first, later } = servers.find((each) => each.server === server) ?? { first: [], later: [] };
            const plans = [...first, ...later].filter(({ name }) => name === called);
            const mayCall = plans.some(({ isReadOnly }) => {
              return policy({ server, tool: called, annotations: { readOnlyHint: isReadOnly } }).isAllowed;
            });
            expect(mayCall).toBe(true);
          }
        }
        await whole.registry.close();
        await only.registry.close();
      },
    ),
    { numRuns: 100 },
  );
});
