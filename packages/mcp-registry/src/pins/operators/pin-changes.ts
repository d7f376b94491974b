import { quote } from '@x/internal/text';
import type { CheckedTools } from '../../catalog/check-tools.js';
import type { ToolDefinition } from '../../catalog/tool-view.js';
import { RegistryError } from '../../errors.js';
import { makePin } from '../check-pins.js';
import type { PinChange, ToolPin } from '../pin-store.js';
import { INSTRUCTIONS, instructionsOf, toolDigest } from '../pinned-definition.js';
import type { ReadTool, ToolReference } from '../registry-pins.js';
import type { TrustGate } from '../trust-gate.js';

/** @throws {RegistryError} as `approve` of `RegistryPins` does. */
export function approvalOf(gate: TrustGate, read: ReadTool | readonly ReadTool[]): readonly PinChange[] {
  const isBatch = Array.isArray(read);
  const all = isBatch ? (read as readonly ReadTool[]) : [read as ReadTool];
  const tools = isBatch ? all.filter(({ unapprovable }) => unapprovable === undefined) : all;
  const pins = new Map<string, ToolPin[]>();
  for (const { server, pin } of tools.map((each) => toApproval(gate, each))) {
    const ofServer = pins.get(server) ?? [];
    ofServer.push(pin);
    pins.set(server, ofServer);
  }
  return Array.from(pins, ([server, approved]) => ({ type: 'approve', server, tools: approved }));
}

interface Revoked {
  readonly server: string;
  readonly tool?: string | undefined;
}

/** @throws {RegistryError} `unknown-tool`. */
export function revocationOf(gate: TrustGate, { server, tool }: Revoked): PinChange {
  const known = gate.known(server);
  const isKnown = tool === undefined ? known : known?.has(tool);
  if (!isKnown && tool !== undefined) offeredTool(gate, { server, tool });
  else if (!isKnown && !gate.offered.some(({ name }) => name === server)) {
    throw new RegistryError('unknown-tool', `No server named ${quote(server)} is attached or has approved tools`);
  }
  return { type: 'revoke', server, ...(tool !== undefined && { tools: [tool] }) };
}

/** @throws {RegistryError} `unknown-tool`. */
export function offeredTool(gate: TrustGate, { server, tool }: ToolReference): ToolDefinition {
  const listing = gate.offered.find(({ name }) => name === server);
  const offered = listing && (tool === INSTRUCTIONS ? instructionsOf(listing) : toolsByName(listing.checked).get(tool));
  if (offered !== undefined) return offered;
  const reason = listing === undefined ? 'no such server is attached' : 'it offers no such tool right now';
  throw new RegistryError('unknown-tool', `Server ${quote(server)}, tool ${quoted(gate, tool)}: ${reason}`, { tool });
}

function toApproval(gate: TrustGate, { server, tool, digest }: ReadTool): { server: string; pin: ToolPin } {
  if (typeof digest !== 'string') {
    throw new TypeError('approve() needs tools with the digests that list() returned');
  }
  const offered = offeredTool(gate, { server, tool });
  const obstacle = gate.redacted.obstacle(offered);
  if (obstacle !== undefined) {
    const message = `Server ${quote(server)}: the tool ${quoted(gate, tool)} cannot be approved: ${obstacle}`;
    throw new RegistryError('unapprovable-tool', message, { reason: obstacle });
  }
  const pinned = gate.redacted.redactAgain(offered).definition;
  if (toolDigest(pinned) === digest) return { server, pin: makePin(pinned, 'approval') };
  throw new RegistryError(
    'changed-since-read',
    `Server ${quote(server)}: the tool ${quoted(gate, tool)} is not any more what was read; read it again, then approve it`,
    { tool },
  );
}

function quoted({ redacted }: TrustGate, tool: string): string {
  return quote(redacted.text(tool));
}

// A cache, because approving a server looks up each tool.
const byName = new WeakMap<CheckedTools, ReadonlyMap<string, ToolDefinition>>();

function toolsByName(checked: CheckedTools): ReadonlyMap<string, ToolDefinition> {
  const tools = byName.get(checked) ?? new Map(checked.tools.map((tool) => [tool.name, tool]));
  byName.set(checked, tools);
  return tools;
}
