import { publicName } from '@x/internal/names';
import type { ToolView } from '@x/internal/views';
import { Catalog } from '../catalog/catalog.js';
import type { SourceTools, Unlisted } from '../catalog/snapshot.js';
import { overrideOf } from '../catalog/tool-override.js';
import { toToolView } from '../catalog/tool-view.js';
import type { OfferedTools } from '../roles/explain-role.js';
import type { RuleSubjects } from '../roles/rule-diagnostics.js';
import type { KnownServers } from '../roles/tool-pattern.js';
import { operatorCode } from './operators/operator-code.js';
import { OperatorPins } from './operators/operator-pins.js';
import type { OperatorReports } from './operators/operator-reports.js';
import type { PinStore } from './pin-store.js';
import type { RedactData } from './redaction/exact-redaction.js';
import { RedactedTools } from './redaction/redacted-tools.js';
import type { RegistryPins } from './registry-pins.js';
import { TrustGate } from './trust-gate.js';
import type { TrustPolicy } from './trust-policy.js';

/** In characters. Far more than is shown, so that the cut leaves no half of a secret there. */
const MAX_INSTRUCTIONS = 65_536;

/** Servers with resources and prompts that wait for approval. */
export interface HeldServers {
  holdsParts(server: string): boolean;
}

/** The catalog of trusted tools, with operators' access to all tools. */
export interface GuardedCatalog {
  readonly catalog: Catalog;
  readonly pins: RegistryPins;
  readonly servers: KnownServers & HeldServers;
  /** All tools that rules can match: listed and native ones, trusted or not. */
  subjects(): RuleSubjects & OfferedTools;
  updateTrust(policy: TrustPolicy): void;
  /** Loads the code for operators. Resolves with the same object each time. */
  reports(): Promise<OperatorReports>;
  /** A server's instructions, redacted; `undefined` while they wait for approval. */
  instructionsOf(server: string): string | undefined;
  /** Redacted; `undefined` while parts of the server wait for approval. */
  unlisted(listing: SourceTools): Unlisted | undefined;
  settled(): Promise<void>;
}

export function guardCatalog(policy: TrustPolicy, store: PinStore, redact?: RedactData): GuardedCatalog {
  const redacted = new RedactedTools(redact);
  const onPartsHeld = (server: string) => catalog.events.emit('access-changed', { server });
  const gate = new TrustGate({ policy, store, redacted, refresh: () => catalog.refresh(), onPartsHeld });
  const catalog: Catalog = new Catalog(gate);
  catalog.lifetime.addListener({ lifetimeOver: () => gate.events.clear() });
  let made: OperatorReports | undefined;
  const reports = async () => {
    const { OperatorReports } = await operatorCode.load();
    made ??= new OperatorReports(gate, catalog);
    return made;
  };
  return {
    catalog,
    pins: new OperatorPins({ gate, reports, lifetime: catalog.lifetime }),
    servers: {
      has: (server) => findOffered(gate.offered, server) !== undefined,
      knows: (server) => catalog.names.knows(server),
      holdsParts: (server) => gate.holdsParts(server),
      toolsOf: (server) => findOffered(gate.offered, server)?.checked.tools,
    },
    subjects: () => ({
      tools: subjectsOf(gate.offered, catalog),
      servers: gate.offered.map(({ name }) => name),
      hasListed: (server) => findOffered(gate.offered, server)?.isListed === true,
      isHidden: (server, tool) => overrideOf(findOffered(gate.offered, server)?.overrides, tool)?.hidden === true,
      isServer: (server) => catalog.names.knows(server),
    }),
    updateTrust: (trust) => gate.update(trust),
    reports,
    instructionsOf: (server) => {
      const text = gate.holdsInstructions(server) ? undefined : findOffered(gate.offered, server)?.instructions;
      return text && redacted.text(text.slice(0, MAX_INSTRUCTIONS));
    },
    unlisted: ({ name: server, state, source: { lastError } }) =>
      gate.holdsParts(server) ? undefined : { server, state, failure: lastError && redacted.text(lastError) },
    settled: () => gate.settled(),
  };
}

function subjectsOf(offered: readonly SourceTools[], { current }: Catalog): readonly ToolView[] {
  const listed = offered.flatMap(({ name: server, state, checked }) =>
    checked.tools.map((tool) => toToolView(tool, { name: publicName(server, tool.name), server, state })),
  );
  return [...listed, ...current.tools.filter(({ server }) => server === undefined)];
}

// A cache, because it is read for each resource of a server.
const byServer = new WeakMap<readonly SourceTools[], ReadonlyMap<string, SourceTools>>();

function findOffered(offered: readonly SourceTools[], server: string): SourceTools | undefined {
  const servers = byServer.get(offered) ?? new Map(offered.map((each) => [each.name, each]));
  byServer.set(offered, servers);
  return servers.get(server);
}
