import { publicName, serverLabel } from '@x/internal/names';
import { createRegistry, type Registry, type RegistryView, type SearchRequest, type ToolSource } from '@x/mcp-registry';
import type { RolePolicy, RoleRule } from '@x/mcp-registry/roles';
import type { SourceTool } from '@x/mcp-registry/sources';
import { textResult, tool } from '@x/test-servers';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { gatewayNames } from '../src/gateway/naming/gateway-names.js';
import { type AudienceNames, namesFor } from '../src/gateway/naming/name-owners.js';
import { mergeParts } from '../src/gateway/resources-and-prompts/merged-list.js';
import { AsIsTools } from '../src/gateway/tools/named-tools.js';

/**
 * A case is one step of a history (a server comes, lists something else, stops, goes) and one question to a view.
 * Each night there are a million of them (`INTERFERENCE_CASES`), each time others.
 */
const cases = Number(process.env.INTERFERENCE_CASES ?? 20_000);
/** A source that announces more changes in one turn of the event loop is listed later. */
const STEPS = 20;

/** Server names that clean, cut or split to the same text. */
const SERVERS = [
  'my.db',
  'my_db',
  'evil__b',
  'evil',
  'files@builder',
  'files_builder',
  'company-internal-production-database',
  'company-internal-pro',
  'a',
  'a_',
];
const TOOLS = ['query', 'b__send', 'send', 'read_text', '_query', 'list all', 'a/b', 'x'.repeat(50)];
const WORDS = ['query', 'queries', 'quarry', 'read', 'reader', 'raed', 'text', 'send', 'the', 'database', 'builder'];

interface ToolPlan {
  readonly own: string;
  /** How the name is made from the public name of another tool; `undefined`: it is `own`. */
  readonly from: { readonly server: string; readonly tool: string; readonly by: number } | undefined;
  readonly words: readonly string[];
}

interface Step {
  readonly server: string;
  readonly act: 'list' | 'leave' | 'stop';
  readonly tools: readonly ToolPlan[];
  readonly question: number;
  readonly words: readonly string[];
  readonly pick: number;
}

const server = fc.constantFrom(...SERVERS);
const words = fc.array(fc.constantFrom(...WORDS), { maxLength: 3 });
const toolPlan: fc.Arbitrary<ToolPlan> = fc.record({
  own: fc.constantFrom(...TOOLS),
  from: fc.option(fc.record({ server, tool: fc.constantFrom(...TOOLS), by: fc.nat({ max: 5 }) }), { nil: undefined }),
  words,
});
const step: fc.Arbitrary<Step> = fc.record({
  server,
  act: fc.constantFrom('list', 'list', 'list', 'leave', 'stop'),
  tools: fc.array(toolPlan, { maxLength: 3 }),
  question: fc.nat({ max: 10 }),
  words,
  pick: fc.nat(),
});
const pattern = fc.oneof(
  server,
  fc.tuple(server, fc.constantFrom('query', 'send', 'read_text', '*', '*_*', 'b__*')).map((parts) => parts.join('.')),
);
const rule: fc.Arbitrary<RoleRule> = fc.record({
  role: fc.constant('r'),
  allowedTools: fc.array(pattern, { minLength: 1, maxLength: 4 }),
  deniedTools: fc.array(fc.oneof(pattern, fc.constantFrom('*.query', 'a*')), { maxLength: 1 }),
});

/** Names as a hostile server would choose them: made from the public name that it wants. */
function nameOf({ own, from }: ToolPlan, server: string): string {
  if (from === undefined) return own;
  const wanted = publicName(from.server, from.tool);
  const rest = wanted.slice('mcp__'.length);
  const names = [
    rest.slice(server.length + 2),
    rest.slice(serverLabel(server).length + 2),
    rest.slice(rest.indexOf('__') + 2),
    `${own}${wanted.slice(-14)}`,
    rest,
    `${from.tool}_${wanted.slice(-13)}`,
  ];
  return names[from.by] || own;
}

function toTools({ tools, server }: Step): readonly SourceTool[] {
  const byName = new Map(tools.map((plan) => [nameOf(plan, server), plan]));
  return Array.from(byName, ([name, { words }]) => tool(name, { description: words.join(' ') }));
}

const AS_IS = gatewayNames['as-is'];

class PlainSource implements ToolSource {
  readonly name: string;
  state: 'running' | 'stopped' = 'running';
  tools: readonly SourceTool[] = [];
  announce = (): void => undefined;

  constructor(name: string) {
    this.name = name;
  }

  listTools(): readonly SourceTool[] {
    return this.tools;
  }

  async callTool(own: string) {
    return textResult(`${this.name} ran ${own}`);
  }

  onToolsChanged(listener: () => void): Disposable {
    this.announce = listener;
    return { [Symbol.dispose]: () => undefined };
  }
}

/** A registry that has only the tools that `isOffered` lets through, of servers that have any. */
class World {
  readonly registry: Registry;
  readonly view: RegistryView;
  /** The view as a gateway serves it under the names that servers chose. */
  readonly asIs: AsIsTools;
  readonly told: unknown[] = [];
  /** The owner of each name as it is, by kind. */
  readonly #policy: RolePolicy;
  readonly #names: AudienceNames;
  readonly #seen = new Map<string, string>();
  readonly #isOffered: (server: string, tool: string) => boolean;
  readonly #sources = new Map<string, PlainSource>();
  readonly #attachments = new Map<string, Disposable>();

  constructor(roles: readonly RoleRule[], isOffered: (server: string, tool: string) => boolean) {
    this.registry = createRegistry({ roles });
    this.view = this.registry.view({ role: 'r' });
    this.#policy = this.registry.policy({ role: 'r' });
    this.#names = namesFor(this.registry, { role: 'r' });
    this.asIs = new AsIsTools(this.view, this.#names.tools);
    this.view.events.on('tools-changed', (change) => this.told.push(change));
    this.#isOffered = isOffered;
  }

  take({ server, act }: Step, all: readonly SourceTool[]): void {
    const source = this.#sources.get(server) ?? new PlainSource(server);
    this.#sources.set(server, source);
    const attachment = this.#attachments.get(server);
    if (act === 'leave') {
      attachment?.[Symbol.dispose]();
      this.#attachments.delete(server);
      return;
    }
    if (act === 'stop') source.state = source.state === 'running' ? 'stopped' : 'running';
    else source.tools = all.filter(({ name }) => this.#isOffered(server, name));
    if (attachment !== undefined) source.announce();
    else if (act === 'list' && source.tools.length > 0) this.#attachments.set(server, this.registry.attach(source));
  }

  /** What a client sees of names as they are: tools, and prompts of the same names. */
  lookAsIs(): unknown {
    const tools = this.asIs.list().map(({ name, server }) => ({ kind: 'tool', name, server }));
    const listed = SERVERS.filter((server) => this.#attachments.has(server)).map((server) => ({
      server,
      items: this.#sources.get(server)?.tools ?? [],
    }));
    const policy: RolePolicy = ({ server = '', ...subject }) =>
      this.#policy({ server, tool: 'prompt' in subject ? subject.prompt : '' });
    const owners = this.#names.prompts;
    const merged = mergeParts(listed as never, { kind: 'prompts', names: AS_IS, policy, owners });
    const prompts = merged.parts.map(({ name, server }) => ({ kind: 'prompt', name, server }));
    for (const { kind, name, server = '' } of [...tools, ...prompts]) {
      const owner = this.#seen.get(`${kind} ${name}`) ?? server;
      if (owner !== server) expect.fail(`as it is, the ${kind} ${name} was of ${owner} and is of ${server}`);
      this.#seen.set(`${kind} ${name}`, server);
    }
    return [tools, prompts];
  }
}

async function outcomeOf(run: () => unknown): Promise<unknown> {
  try {
    return { value: await run() };
  } catch (error) {
    const { message, ...fields } = error as Error;
    return { error: { ...fields, message } };
  }
}

/** Cursors hold a number that is different for each view. */
function comparable(value: unknown): string {
  const text = JSON.stringify(value) ?? '';
  if (!text.includes('nextCursor')) return text;
  return text.replaceAll(/nextCursor(\\*"):\\*"[^"\\]*|, cursor [\w.-]+/g, 'nextCursor$1:$1');
}

/** @param name - A tool that there is, whether the view may see it or not. */
async function ask(view: RegistryView, { question, words, server, pick }: Step, name: string): Promise<unknown> {
  const query = words.join(' ');
  const search = (request: SearchRequest) => outcomeOf(() => view.search(request));
  switch (question) {
    case 0:
      return search({ query, limit: 1 + (pick % 3) });
    case 1:
      return search({ query, server, include: 'ready' });
    case 2:
      return search({ query: name });
    case 3:
      return search({ query: words[0] ?? 'q', useRegex: true, limit: 2 });
    case 4:
      return search({ query: '*', server });
    case 5:
      return outcomeOf(() => view.call('search_mcp_tools', { query, detail: 'full' }));
    case 6:
      return outcomeOf(() => view.call(name, {}));
    case 7:
      return outcomeOf(() => view.call(name.slice(0, -1), {}));
    case 8:
      return [view.revision, view.list()];
    case 9:
      return [view.get(name), await view.describe(name)];
    default:
      return search({ query: name.replace(/[aeiou]/, '') });
  }
}

test(`a view depends only on what it may see, and a name resolves to one server for good (${cases} cases)`, async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(rule, { minLength: 1, maxLength: 2 }),
      fc.array(step, { minLength: STEPS, maxLength: STEPS }),
      async (roles, steps) => {
        const whole = new World(roles, () => true);
        const policy = whole.registry.policy({ role: 'r' });
        const only = new World(roles, (server, tool) => policy({ server, tool }).isAllowed);
        const owners = new Map<string, string>();
        for (const each of steps) {
          const tools = toTools(each);
          whole.take(each, tools);
          only.take(each, tools);

          const all = whole.registry.list();
          for (const { name, server, tool } of all) {
            const owner = `${server} ${tool}`;
            if ((owners.get(name) ?? owner) !== owner) expect.fail(`${name} was ${owners.get(name)} and is ${owner}`);
            owners.set(name, owner);
          }
          const [whatSeen, whatAlone] = [comparable(whole.lookAsIs()), comparable(only.lookAsIs())];
          if (whatSeen !== whatAlone) expect(whatSeen).toBe(whatAlone);
          const name = all[each.pick % Math.max(1, all.length)]?.name ?? 'mcp__a__query';
          const [seen, alone] = [await ask(whole.view, each, name), await ask(only.view, each, name)];
          if (comparable(seen) !== comparable(alone)) expect(comparable(seen)).toBe(comparable(alone));
        }
        expect((await whole.registry.diagnostics()).filter(({ code }) => code === 'name-collision')).toEqual([]);
        expect(whole.told).toEqual(only.told);
        await whole.registry.close();
        await only.registry.close();
      },
    ),
    { numRuns: Math.ceil(cases / STEPS) },
  );
}, 3_600_000);
