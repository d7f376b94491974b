import type { EventSource } from '@x/internal/contracts';
import { quote } from '@x/internal/text';
import type { CheckedTools } from '../../catalog/check-tools.js';
import type { Lifetime } from '../../catalog/lifetime.js';
import type { ToolDefinition } from '../../catalog/tool-view.js';
import { RegistryError } from '../../errors.js';
import { makePin } from '../check-pins.js';
import type { ToolPin } from '../pin-store.js';
import { INSTRUCTIONS, instructionsOf, toolDigest } from '../pinned-definition.js';
import type {
  DiffOptions,
  OfferedTool,
  PinEvents,
  PinFilter,
  ReadTool,
  RegistryPins,
  ToolReference,
} from '../registry-pins.js';
import type { TrustGate } from '../trust-gate.js';
import type { OperatorReports } from './operator-reports.js';

interface OperatorPinsParts {
  readonly gate: TrustGate;
  readonly reports: () => Promise<OperatorReports>;
  readonly lifetime: Lifetime;
}

export class OperatorPins implements RegistryPins {
  readonly #gate: TrustGate;
  readonly #reports: () => Promise<OperatorReports>;
  readonly #lifetime: Lifetime;

  constructor({ gate, reports, lifetime }: OperatorPinsParts) {
    this.#gate = gate;
    this.#reports = reports;
    this.#lifetime = lifetime;
  }

  get events(): EventSource<PinEvents> {
    return this.#gate.events;
  }

  get ready(): Promise<void> {
    return this.#gate.ready;
  }

  async list(filter: PinFilter = {}): Promise<readonly OfferedTool[]> {
    const reports = await this.#reports();
    return reports.list(filter);
  }

  holdsInstructions(server: string): boolean {
    return this.#gate.holdsInstructions(server);
  }

  holdsTool(tool: ToolReference): boolean {
    return this.#gate.holdsTool(tool);
  }

  async diff(tool: ToolReference, options: DiffOptions = {}): Promise<string> {
    const reports = await this.#reports();
    return reports.diff(tool.server, this.#offered(tool), options);
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
      throw new TypeError('approve() needs tools with the digests that list() returned');
    }
    const offered = this.#offered({ server, tool });
    const obstacle = this.#gate.redacted.obstacle(offered);
    if (obstacle !== undefined) {
      const message = `Server ${quote(server)}: the tool ${this.#quoted(tool)} cannot be approved: ${obstacle}`;
      throw new RegistryError('unapprovable-tool', message, { reason: obstacle });
    }
    const pinned = this.#gate.redacted.redactAgain(offered).definition;
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
}

// A cache, because approving a server looks up each tool.
const byName = new WeakMap<CheckedTools, ReadonlyMap<string, ToolDefinition>>();

function toolsByName(checked: CheckedTools): ReadonlyMap<string, ToolDefinition> {
  const tools = byName.get(checked) ?? new Map(checked.tools.map((tool) => [tool.name, tool]));
  byName.set(checked, tools);
  return tools;
}
