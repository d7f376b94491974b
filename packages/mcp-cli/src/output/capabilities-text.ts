import type { Io } from '../command.js';
import type { CapabilitiesReport } from '../control/reports.js';
import { fit } from './fit.js';
import { printable, printableLine, stylesFor } from './print.js';

/** Prints what a server declares in its handshake. */
export function printCapabilities(
  { server, serverInfo, protocolVersion, instructions, capabilities }: CapabilitiesReport,
  io: Io,
): void {
  const { bold, dim } = stylesFor(io.stdout, io);
  const program = serverInfo ? ` is ${printableLine(`${serverInfo.name} ${serverInfo.version}`, 200)}` : '';
  const write = (text: string): void => void io.stdout.write(fit(text, io.stdout));
  write(`${bold(printableLine(server, 60))}${program}, protocol ${printableLine(String(protocolVersion), 40)}\n`);
  for (const line of capabilityLines(capabilities)) write(`  ${line}\n`);
  if (instructions) write(`\n${dim('Instructions for models:')}\n${printable(instructions)}\n`);
}

/** Such as `resources (subscribe, listChanged)`. */
function capabilityLines(declared: unknown): readonly string[] {
  const entries = Object.entries((declared ?? {}) as Record<string, unknown>).sort(([one], [other]) =>
    one < other ? -1 : 1,
  );
  if (entries.length === 0) return ['declares nothing'];
  return entries.map(([name, value]) => {
    const features = Object.entries((value ?? {}) as Record<string, unknown>).flatMap(([feature, on]) =>
      on === false ? [] : [feature],
    );
    return printableLine(features.length > 0 ? `${name} (${features.join(', ')})` : name, 300);
  });
}
