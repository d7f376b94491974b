import type { EventSource } from '@x/internal/contracts';
import { publicName } from '@x/internal/names';
import { compareText, quote } from '@x/internal/text';
import type { CheckedTools } from '../catalog/check-tools.js';
import type { Lifetime } from '../catalog/lifetime.js';
import type { SourceTools } from '../catalog/snapshot.js';
import type { ToolDefinition } from '../catalog/tool-view.js';
import { RegistryError } from '../errors.js';
import { findUncheckedArguments } from '../findings/scan-tools.js';
import type { ToolFinding } from '../findings/tool-finding.js';
import { makePin } from './check-pins.js';
import { hideInFinding } from './hidden-diagnostics.js';
import type { ToolPin } from './pin-store.js';
import { definitionOf, toolDigest } from './pinned-definition.js';
import { INSTRUCTIONS, instructionsOf } from './pinned-instructions.js';
import type {
  ApprovedText,
  DiffOptions,
  OfferedTool,
  PinEvents,
  PinFilter,
  ReadTool,
  RegistryPins,
  SimilarTool,
  ToolReference,
} from './registry-pins.js';
import { nearestPin } from './similar-pins.js';
import { toolDiff } from './tool-diff.js';
import type { TrustGate } from './trust-gate.js';

/** Pairs of texts that one `list()` compares at most. */
const MAX_COMPARISONS = 100_000;

export interface OperatorPinsParts {
  readonly gate: TrustGate;
  /** Of all that is offered. */
  readonly findings: () => readonly ToolFinding[];
  readonly lifetime: Lifetime;
}

export class OperatorPins implements RegistryPins {
  readonly #gate: TrustGate;
  readonly #findings: () => readonly ToolFinding[];
  readonly #lifetime: Lifetime;

  constructor({ gate, findings, lifetime }: OperatorPinsParts) {
    this.#gate = gate;
    this.#findings = findings;
    this.#lifetime = lifetime;
  }

  get events(): EventSource<PinEvents> {
    return this.#gate.events;
  }

  get ready(): Promise<void> {
    return this.#gate.ready;
  }

  list({ server, trust }: PinFilter = {}): readonly OfferedTool[] {
    const findings = groupByTool(this.#findings());
    const left = { comparisons: MAX_COMPARISONS };
    return this.#gate.offered
      .filter(({ name }) => server === undefined || name === server)
      .toSorted((one, other) => compareText(one.name, other.name))
      .flatMap((listing) => this.#listServer(listing, findings.get(listing.name), left))
      .filter((tool) => trust === undefined || tool.trust === trust);
  }

  holdsInstructions(server: string): boolean {
    return this.#gate.holdsInstructions(server);
  }

  holdsTool(tool: ToolReference): boolean {
    return this.#gate.holdsTool(tool);
  }

  diff({ server, tool }: ToolReference, { redact }: DiffOptions = {}): string {
    const offered = this.#offered({ server, tool });
    const { redacted } = this.#gate;
    const shown = definitionOf(redacted.of(offered).definition);
    const approved = this.#gate.known(server)?.get(tool);
    return toolDiff(
      approved && redacted.pin(approved).definition,
      { ...shown, name: redacted.text(shown.name) },
      redact,
    );
  }

  async approve(read: ReadTool | readonly ReadTool[]): Promise<void> {
    this.#lifetime.throwIfOver();
    const isBatch = Array.isArray(read);
    const all = isBatch ? (read as readonly ReadTool[]) : [read as ReadTool];
    const tools = isBatch ? all.filter(({ unapprovable }) => unapprovable === undefined) : all;
    const pins = new Map<string, ToolPin[]>();
    for (const { server, pin } of tools.map((each) => this.#toApproval(each))) {
      const ofServer = pins.get(server);
      if (ofServer === undefined) pins.set(server, [pin]);
      else ofServer.push(pin);
    }
    await this.#gate.save(Array.from(pins, ([server, approved]) => ({ type: 'approve', server, tools: approved })));
  }

  async revoke({ server, tool }: { readonly server: string; readonly tool?: string | undefined }): Promise<void> {
    this.#lifetime.throwIfOver();
    const known = this.#gate.known(server);
    const isKnown = tool === undefined ? known !== undefined : known?.has(tool) === true;
    if (!isKnown && tool !== undefined) this.#offered({ server, tool });
    else if (!isKnown && !this.#gate.offered.some(({ name }) => name === server)) {
      throw new RegistryError('unknown-tool', `No server named ${quote(server)} is attached or has approved tools`);
    }
    await this.#gate.save([{ type: 'revoke', server, ...(tool === undefined ? {} : { tools: [tool] }) }]);
  }

  async reload(): Promise<void> {
    this.#lifetime.throwIfOver();
    await this.#gate.reload();
  }

  #toApproval({ server, tool, digest }: ReadTool): { readonly server: string; readonly pin: ToolPin } {
    if (typeof digest !== 'string') {
      throw new TypeError('approve() takes tools with the digest that was read, as list() gives them');
    }
    const offered = this.#offered({ server, tool });
    const obstacle = this.#gate.redacted.obstacle(offered);
    if (obstacle !== undefined) {
      const message = `Server ${quote(server)}: the tool ${this.#quoted(tool)} cannot be approved: ${obstacle}`;
      throw new RegistryError('unapprovable-tool', message, { reason: obstacle });
    }
    const pinned = this.#gate.redacted.anew(offered).definition;
    if (toolDigest(pinned) === digest) return { server, pin: makePin(pinned, 'approval') };
    throw new RegistryError(
      'changed-since-read',
      `Server ${quote(server)}: the tool ${this.#quoted(tool)} is not any more what was read; read it again, then approve it`,
      { tool },
    );
  }

  #offered({ server, tool }: ToolReference): ToolDefinition {
    const listing = this.#gate.offered.find(({ name }) => name === server);
    const offered =
      listing && (tool === INSTRUCTIONS ? instructionsOf(listing) : toolsByName(listing.checked).get(tool));
    if (offered !== undefined) return offered;
    const reason = listing === undefined ? 'no such server is attached' : 'it offers no such tool right now';
    throw new RegistryError('unknown-tool', `Server ${quote(server)}, tool ${this.#quoted(tool)}: ${reason}`, { tool });
  }

  #quoted(tool: string): string {
    return quote(this.#gate.redacted.text(tool));
  }

  #listServer(
    listing: SourceTools,
    findings: ReadonlyMap<string, readonly ToolFinding[]> | undefined,
    left: { comparisons: number },
  ): readonly OfferedTool[] {
    const { name: server, checked } = listing;
    const known = this.#gate.known(server) ?? new Map<string, ToolPin>();
    const offered = new Set(checked.tools.map(({ name }) => name));
    const instructions = instructionsOf(listing);
    const approvable = this.#gate.approvable(listing);
    // In the mode "all" nothing waits for an approval: instructions are listed for what is found in them.
    const isAdded =
      instructions !== undefined && !approvable.includes(instructions) && findings?.has(INSTRUCTIONS) === true;
    return [...approvable, ...(isAdded ? [instructions] : [])]
      .toSorted((one, other) => compareText(one.name, other.name))
      .map((tool): OfferedTool => {
        const pin = known.get(tool.name);
        const unapprovable = this.#gate.redacted.obstacle(tool);
        const trust = this.#gate.trustOf(server, tool);
        const isCompared = trust === 'pending' && left.comparisons >= known.size;
        if (isCompared) left.comparisons -= known.size;
        const similarTo = isCompared ? toSimilar(server, tool, known, offered) : undefined;
        return {
          server,
          tool: tool.name,
          name: tool.name === INSTRUCTIONS ? `(instructions of ${server})` : publicName(server, tool.name),
          trust,
          digest: toolDigest(this.#gate.redacted.anew(tool).definition),
          ...(unapprovable === undefined ? {} : { unapprovable }),
          ...(pin === undefined ? {} : { approved: toApproved(pin) }),
          ...(similarTo === undefined ? {} : { similarTo }),
          findings: [...(findings?.get(tool.name) ?? []), ...findUncheckedArguments(server, tool)].map((finding) =>
            hideInFinding(finding, this.#gate.redacted.text),
          ),
        };
      });
  }
}

// Follows from its key alone: no list of tools is ever edited. Whoever approves all of a server asks for each of them.
const byName = new WeakMap<CheckedTools, ReadonlyMap<string, ToolDefinition>>();

function toolsByName(checked: CheckedTools): ReadonlyMap<string, ToolDefinition> {
  const tools = byName.get(checked) ?? new Map(checked.tools.map((tool) => [tool.name, tool]));
  byName.set(checked, tools);
  return tools;
}

function toSimilar(
  server: string,
  tool: ToolDefinition,
  known: ReadonlyMap<string, ToolPin>,
  offered: ReadonlySet<string>,
): SimilarTool | undefined {
  const nearest = nearestPin(tool, known.values());
  if (nearest === undefined) return undefined;
  const { pin, similarity } = nearest;
  return { server, tool: pin.tool, similarity, isOffered: offered.has(pin.tool) };
}

function toApproved({ digest, approvedAt, approvedBy }: ToolPin): ApprovedText {
  return { digest, at: approvedAt, by: approvedBy };
}

function groupByTool(
  findings: readonly ToolFinding[],
): ReadonlyMap<string, ReadonlyMap<string, readonly ToolFinding[]>> {
  const servers = new Map<string, Map<string, ToolFinding[]>>();
  for (const finding of findings) {
    const tools = servers.get(finding.server) ?? new Map<string, ToolFinding[]>();
    servers.set(finding.server, tools);
    const ofTool = tools.get(finding.tool);
    if (ofTool === undefined) tools.set(finding.tool, [finding]);
    else ofTool.push(finding);
  }
  return servers;
}
