import { CommandError, type CommonOptions, type ExitCode, exitCodes, type Io } from '../command.js';
import { ControlError } from '../control/control-error.js';
import type { ApprovalReport } from '../control/reports.js';
import { findDaemon } from '../daemon/find-daemon.js';
import { printable, printableLine, printJson } from '../output/print.js';

/** Only a daemon has calls that wait for another process. */
export async function approvals(options: CommonOptions, io: Io): Promise<ExitCode> {
  await using control = await requireDaemon(options, io);
  const calls = await control.approvals({ signal: io.signal });
  if (options.json) printJson({ calls }, io);
  else io.stdout.write(calls.length === 0 ? 'No call waits for an approval.\n' : calls.map(callText).join('\n'));
  return exitCodes.ok;
}

function callText({ id, text, isWhole }: ApprovalReport): string {
  const cut = isWhole ? '' : `"mcpx approvals --json" shows all arguments.\n`;
  return `${printable(`${text}\n${cut}`)}Run "mcpx approvals approve ${id}" or "mcpx approvals deny ${id}".\n`;
}

interface AnswerOptions extends CommonOptions {
  readonly id: string;
  readonly reason?: string;
}

export function approveCall(options: AnswerOptions, io: Io): Promise<ExitCode> {
  return answer(options, true, io);
}

export function denyCall(options: AnswerOptions, io: Io): Promise<ExitCode> {
  return answer(options, false, io);
}

async function answer({ id, reason, ...options }: AnswerOptions, isApproved: boolean, io: Io): Promise<ExitCode> {
  await using control = await requireDaemon(options, io);
  const { isAnswered } = await control.answerApproval({ id, isApproved, by: 'command', reason, signal: io.signal });
  if (!isAnswered) {
    const message = `No call waits under ${printableLine(id, 100)}: it was answered, cancelled, or has expired.`;
    throw new CommandError(exitCodes.notFound, message, { hint: 'Run "mcpx approvals" to see the calls that wait.' });
  }
  if (options.json) printJson({ id, approved: isApproved }, io);
  else io.stdout.write(`The call ${printableLine(id, 100)} is ${isApproved ? 'approved' : 'denied'}.\n`);
  return exitCodes.ok;
}

async function requireDaemon(options: CommonOptions, io: Io) {
  const control = await findDaemon(options, io);
  if (control !== undefined) return control;
  throw new ControlError('daemon-not-running', 'No daemon is running for this config, so no call waits.', {
    hint: 'Run "mcpx up" to start it.',
  });
}
