import { type CommonOptions, type ExitCode, exitCodes, type Io } from '../command.js';
import { checkAddresses, checkCommands, checkConfigFiles, checkServerSecrets } from '../doctor/check-config.js';
import { checkDaemon, checkFleet, checkPorts } from '../doctor/check-daemon.js';
import { checkLocks, checkOrphans, checkPath, checkPermissions, checkRuntime } from '../doctor/check-system.js';
import type { CheckContext, Finding } from '../doctor/finding.js';
import { fit } from '../output/fit.js';
import { counted, printable, printJson, stylesFor } from '../output/print.js';

/** Starts and changes nothing. */
export async function doctor({ config, json }: CommonOptions, io: Io): Promise<ExitCode> {
  const { findings, redactor } = await examine({ io, config });
  const count = (status: Finding['status']): number => findings.filter((finding) => finding.status === status).length;
  const [errors, warnings] = [count('error'), count('warning')];
  if (json) {
    const report = { ok: errors === 0, errors, warnings, findings };
    printJson(redactor?.redactData(report) ?? report, io);
  } else {
    const lines = findings.map((finding) => findingText(finding, io));
    const text = [...lines, summary(errors, warnings, findings.length)].join('');
    io.stdout.write(fit(redactor?.redact(text) ?? text, io.stdout));
  }
  return errors === 0 ? exitCodes.ok : exitCodes.failed;
}

async function examine(
  context: CheckContext,
): Promise<{ readonly findings: readonly Finding[] } & Pick<CheckContext, 'redactor'>> {
  const { findings: configFindings, loaded, waiting = new Set(), redactor } = await checkConfigFiles(context);
  const full: CheckContext = { ...context, loaded, redactor };
  const agreed = loaded && { ...loaded, servers: loaded.servers.filter(({ name }) => !waiting.has(name)) };
  const agreedContext: CheckContext = { ...full, loaded: agreed };
  const findings = [
    ...(context.io.nodeVersion === undefined ? [] : [checkRuntime(context.io.nodeVersion)]),
    checkPath(context.io.env.PATH ?? context.io.env.Path),
    ...configFindings,
    ...(await checkCommands(agreedContext)),
    ...(await checkAddresses(agreedContext)),
    ...(await checkServerSecrets(agreedContext)),
    ...(await checkPermissions(full)),
    ...(await checkLocks(full)),
    ...(await checkOrphans(full)),
    await checkDaemon(full),
    ...(await checkFleet(full)),
    ...(await checkPorts()),
  ];
  return { findings, redactor };
}

function findingText(finding: Finding, io: Io): string {
  const { green, yellow, red, dim } = stylesFor(io.stdout, io);
  const mark = { ok: green('✓'), warning: yellow('!'), error: red('✗') }[finding.status];
  const line = `${mark} ${finding.check.padEnd(11)} ${printable(finding.message)}\n`;
  return finding.status === 'ok' ? line : `${line}${dim(`  ${''.padEnd(11)} fix: ${printable(finding.fix)}`)}\n`;
}

function summary(errors: number, warnings: number, checks: number): string {
  if (errors + warnings === 0) return `No problems in ${counted(checks, 'check')}.\n`;
  return `${counted(errors, 'problem')}, ${counted(warnings, 'warning')}.\n`;
}
