import { createListSource, type ListSource } from '@x/test-servers';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { toolDigest } from '../../src/pins/pinned-definition.js';
import type { TrustMode } from '../../src/pins/trust-policy.js';
import { createRegistry, type Registry } from '../../src/registry.js';
import { offer } from '../helpers/pins.js';

type Step =
  | { readonly do: 'offer'; readonly server: number; readonly tools: readonly (readonly [string, string])[] }
  | { readonly do: 'approve' | 'revoke'; readonly server: number; readonly tool: string };

const server = fc.nat({ max: 1 });
const name = fc.constantFrom('read', 'write', '__proto__', 'toString');
const text = fc.constantFrom('one', 'two');
const anyStep: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ do: fc.constant('offer' as const), server, tools: fc.array(fc.tuple(name, text), { maxLength: 4 }) }),
  fc.record({ do: fc.constantFrom('approve' as const, 'revoke' as const), server, tool: name }),
);
const SERVERS = ['a', '__proto__'];

test('after any sequence of offers, approvals and revocations, nothing untrusted is visible on any path', async () => {
  const modes = fc.tuple(...SERVERS.map(() => fc.constantFrom<TrustMode>('all', 'pin-on-first-use', 'approve')));
  await fc.assert(
    fc.asyncProperty(modes, fc.array(anyStep, { maxLength: 12 }), async (trust, steps) => {
      const servers = JSON.parse(`{"a":"${trust[0]}","__proto__":"${trust[1]}"}`);
      const registry = createRegistry({ trust: { servers } });
      const sources = SERVERS.map((each) => createListSource(each));
      for (const source of sources) await registry.attach(source).ready;
      const model = new Model(trust);
      const told = followNames(registry);
      for (const step of steps) {
        await carryOut(step, registry, sources, model);
        await expectTrustedOnly(registry, model.trusted());
        expect(told()).toEqual(registry.list().map((view) => view.name));
      }
      await registry.close();
    }),
    { numRuns: 60 },
  );
});

/** What the rules say, written down a second time and as simply as can be. */
class Model {
  readonly offered = SERVERS.map(() => new Map<string, string>());
  readonly pinned = SERVERS.map((): Map<string, string> | undefined => undefined);
  readonly #modes: readonly TrustMode[];

  constructor(modes: readonly TrustMode[]) {
    this.#modes = modes;
  }

  offer(index: number, tools: readonly (readonly [string, string])[]): void {
    this.offered[index] = new Map(tools.toReversed()); // of two with one name, the first counts
    const isFirst = this.#modes[index] === 'pin-on-first-use' && this.pinned[index] === undefined && tools.length > 0;
    if (isFirst) this.pinned[index] = new Map(this.offered[index]);
  }

  trusted(): readonly string[] {
    return SERVERS.flatMap((each, index) =>
      Array.from(this.offered[index] ?? [])
        .filter(([tool, said]) => this.#modes[index] === 'all' || this.pinned[index]?.get(tool) === said)
        .map(([tool, said]) => JSON.stringify([each, tool, said])),
    ).toSorted();
  }
}

async function carryOut(step: Step, registry: Registry, sources: readonly ListSource[], model: Model): Promise<void> {
  const at = SERVERS[step.server] ?? '';
  if (step.do === 'offer') {
    model.offer(step.server, step.tools);
    const tools = step.tools.map(([tool, description]) => ({
      name: tool,
      description,
      inputSchema: { type: 'object' },
    }));
    const source = sources[step.server];
    if (source !== undefined) await offer(source, tools);
    return;
  }
  const offered = (await registry.pins.list({ server: at })).find(({ tool }) => tool === step.tool);
  const pinned = model.pinned[step.server];
  if (step.do === 'approve' && offered !== undefined) {
    await registry.pins.approve(offered);
    const said = model.offered[step.server]?.get(step.tool) ?? '';
    model.pinned[step.server] = new Map(pinned).set(step.tool, said);
  } else if (step.do === 'revoke' && (offered !== undefined || pinned?.has(step.tool))) {
    await registry.pins.revoke({ server: at, tool: step.tool });
    const rest = new Map(pinned);
    rest.delete(step.tool);
    model.pinned[step.server] = rest;
  }
}

async function expectTrustedOnly(registry: Registry, trusted: readonly string[]): Promise<void> {
  const seen = registry.list().filter((view) => view.server !== undefined);
  expect(seen.map((view) => JSON.stringify([view.server, view.tool, view.description])).toSorted()).toEqual(trusted);
  for (const query of ['*', 'one two read write']) {
    const found = await registry.search({ query, limit: 100 });
    const hits = found.tools.filter((hit) => hit.server !== undefined);
    const known = new Set(trusted);
    expect(hits.every((hit) => known.has(JSON.stringify([hit.server, hit.tool, hit.description])))).toBe(true);
  }
  for (const each of await registry.pins.list()) {
    const isSeen = seen.some((view) => view.server === each.server && view.tool === each.tool);
    expect(each.trust === 'trusted').toBe(isSeen);
    expect(registry.get(each.name) !== undefined).toBe(isSeen);
    if (isSeen) expect(toolDigest({ ...registry.get(each.name), name: each.tool } as never)).toBe(each.digest);
    else await expect(registry.call(each.name)).rejects.toMatchObject({ code: 'unknown-tool' });
  }
}

/** The names that a listener holds who only ever reads events. */
function followNames(registry: Registry): () => readonly string[] {
  const names = new Set(registry.list().map((view) => view.name));
  registry.events.on('tools-changed', ({ added, removed }) => {
    for (const each of removed) names.delete(each);
    for (const each of added) names.add(each);
  });
  return () => [...names].toSorted((left, right) => (left < right ? -1 : 1));
}
