import { CommandError, type CommonOptions, type ExitCode, exitCodes, type Io, UsageError } from '../command.js';
import { ControlError } from '../control/control-error.js';
import type { ApprovalReport } from '../control/reports.js';
import { findDaemon } from '../daemon/find-daemon.js';
import { answerQuestions } from '../elicitation/answer-questions.js';
import { canAsk } from '../output/ask.js';
import { printNote } from '../output/fit.js';
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

/** Answers what waits at this terminal, until it is interrupted or the daemon ends. */
export async function watchApprovals(options: CommonOptions, io: Io): Promise<ExitCode> {
  if (!canAsk(io)) {
    throw new UsageError('This command asks questions, but there is no terminal.', {
      hint: 'Use "mcpx approvals", "mcpx approvals approve" and "mcpx approvals deny" in a script.',
    });
  }
  await using control = await requireDaemon(options, io);
  const { onServerRequest, settled } = answerQuestions(io);
  const attending = control.attend({ onServerRequest, signal: io.signal }).finally(settled);
  await Promise.race([control.daemonInfo(), attending]); // by then the request has arrived
  printNote('Calls that need an approval, and what servers ask for clients that cannot answer, appear here.', io);
  await attending;
  return exitCodes.ok;
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
