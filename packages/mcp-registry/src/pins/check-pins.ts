import { copyJson, isRecord, type JsonCopyError, type JsonLimits } from '@x/internal/json';
import { quote } from '@x/internal/text';
import type { ToolDefinition } from '../catalog/tool-view.js';
import type { Pins, ServerPins, ToolPin } from './pin-store.js';
import { definitionOf, type PinnedDefinition, toolDigest } from './pinned-definition.js';

export class PinDataError extends Error {
  override readonly name = 'PinDataError';
}

/** More than the limits of listed tools, so that every approved tool can be read again. */
export const DEFINITION_LIMITS: JsonLimits = { maxDepth: 200, maxValues: 1_000_000, maxCharacters: 16 * 2 ** 20 };

// Frozen pins created here are checked only once.
const checked = new WeakSet<object>();

/**
 * A frozen copy of a store's data. Computes digests again: a pin must not show another text than it admits.
 *
 * @throws {PinDataError}
 */
export function checkPins(value: unknown): Pins {
  if (isChecked<Pins>(value)) return value;
  if (!Array.isArray(value)) throw new PinDataError('it is not a list of servers');
  const servers = new Set<string>();
  const pins = Object.freeze(
    value.map((entry: unknown, index) => {
      const server = checkServer(entry, index);
      if (servers.has(server.server)) throw new PinDataError(`server ${quote(server.server)} is listed twice`);
      servers.add(server.server);
      return server;
    }),
  );
  checked.add(pins);
  return pins;
}

export function makePin(tool: ToolDefinition, approvedBy: ToolPin['approvedBy']): ToolPin {
  const definition = definitionOf(tool);
  const approvedAt = new Date().toISOString();
  const pin = Object.freeze({ tool: tool.name, digest: toolDigest(tool), definition, approvedAt, approvedBy });
  if (Object.isFrozen(tool)) checked.add(pin); // the catalog's tools are deeply frozen
  return pin;
}

function isChecked<Kind>(value: unknown): value is Kind {
  return checked.has(value as object);
}

function checkServer(entry: unknown, index: number): ServerPins {
  if (isChecked<ServerPins>(entry)) return entry;
  if (!isRecord(entry) || typeof entry.server !== 'string' || !Array.isArray(entry.tools)) {
    throw new PinDataError(`entry ${index + 1} is not a server with tools`);
  }
  const { server } = entry;
  const tools = new Map<string, ToolPin>();
  for (const tool of entry.tools as readonly unknown[]) {
    const pin = checkTool(server, tool);
    if (tools.has(pin.tool)) {
      throw new PinDataError(`tool ${quote(pin.tool)} of server ${quote(server)} is listed twice`);
    }
    tools.set(pin.tool, pin);
  }
  const result = Object.freeze({ server, tools: Object.freeze(Array.from(tools.values())) });
  checked.add(result);
  return result;
}

function checkTool(server: string, entry: unknown): ToolPin {
  if (isChecked<ToolPin>(entry)) return entry;
  if (!isRecord(entry) || typeof entry.tool !== 'string') {
    throw new PinDataError(`a tool of server ${quote(server)} has no name`);
  }
  const { tool, digest, approvedAt, approvedBy } = entry;
  const where = `tool ${quote(tool)} of server ${quote(server)}`;
  if (typeof approvedAt !== 'string') throw new PinDataError(`${where} has no approvedAt`);
  if (approvedBy !== 'approval' && approvedBy !== 'first-use') {
    throw new PinDataError(`${where} must have approvedBy "approval" or "first-use"`);
  }
  const definition = checkDefinition(where, entry.definition);
  if (definition.name !== tool) throw new PinDataError(`${where} has the definition of another tool`);
  if (digest !== toolDigest(definition))
    throw new PinDataError(`${where} has a definition that does not match its digest`);
  const pin = Object.freeze({ tool, digest, definition, approvedAt, approvedBy });
  checked.add(pin);
  return pin;
}

function checkDefinition(where: string, value: unknown): PinnedDefinition {
  if (!isRecord(value) || typeof value.name !== 'string' || !isRecord(value.inputSchema)) {
    throw new PinDataError(`${where} has no definition`);
  }
  try {
    // Nothing else needs a check, because its digest is compared next.
    return copyJson(value, DEFINITION_LIMITS) as PinnedDefinition;
  } catch (error) {
    throw new PinDataError(`${where} has a definition that ${(error as JsonCopyError).message}`);
  }
}
