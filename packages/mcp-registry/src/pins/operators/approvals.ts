import { quote } from '@x/internal/text';
import type { CheckedTools } from '../../catalog/check-tools.js';
import type { ToolDefinition } from '../../catalog/tool-view.js';
import { RegistryError } from '../../errors.js';
import { makePin } from '../check-pins.js';
import type { PinChange, ToolPin } from '../pin-store.js';
import { INSTRUCTIONS, instructionsOf, toolDigest } from '../pinned-definition.js';
import type { ReadTool, ToolReference } from '../registry-pins.js';
import type { TrustGate } from '../trust-gate.js';

/** Checks what operators approve and revoke. */
export class Approvals {
  readonly #gate: TrustGate;

  constructor(gate: TrustGate) {
    this.#gate = gate;
  }

  approve(read: ReadTool | readonly ReadTool[]): readonly PinChange[] {
    const isBatch = Array.isArray(read);
    const all = isBatch ? (read as readonly ReadTool[]) : [read as ReadTool];
    const tools = isBatch ? all.filter(({ unapprovable }) => unapprovable === undefined) : all;
    const pins = new Map<string, ToolPin[]>();
    for (const { server, pin } of tools.map((each) => this.#toApproval(each))) {
      const ofServer = pins.get(server);
      if (ofServer === undefined) pins.set(server, [pin]);
      else ofServer.push(pin);
    }
    return Array.from(pins, ([server, approved]) => ({ type: 'approve', server, tools: approved }));
  }

  /** @throws {RegistryError} `unknown-tool`. */
  requireOffered(server: string, tool: string | undefined): void {
    if (tool !== undefined) this.offered({ server, tool });
    else if (!this.#gate.offered.some(({ name }) => name === server)) {
      throw new RegistryError('unknown-tool', `No server named ${quote(server)} is attached or has approved tools`);
    }
  }

  offered({ server, tool }: ToolReference): ToolDefinition {
    const listing = this.#gate.offered.find(({ name }) => name === server);
    const offered =
      listing && (tool === INSTRUCTIONS ? instructionsOf(listing) : toolsByName(listing.checked).get(tool));
    if (offered !== undefined) return offered;
    const reason = listing === undefined ? 'no such server is attached' : 'it offers no such tool right now';
    throw new RegistryError('unknown-tool', `Server ${quote(server)}, tool ${this.#quoted(tool)}: ${reason}`, { tool });
  }

  #toApproval({ server, tool, digest }: ReadTool): { readonly server: string; readonly pin: ToolPin } {
    if (typeof digest !== 'string') {
      throw new TypeError('approve() needs tools with the digests that list() returned');
    }
    const offered = this.offered({ server, tool });
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
