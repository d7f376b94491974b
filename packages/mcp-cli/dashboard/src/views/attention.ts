import type { AdminAction, ConfigView, PinsView, ServerView } from '../../../src/dashboard/page-messages.js';
import { counted } from '../format.js';
import type { LiveState } from '../live-state.js';
import { routeTo } from '../use-route.js';

/** Something that needs a person, and what to do about it. */
export interface Attention {
  readonly tone: 'bad' | 'warn';
  /** In our words. */
  readonly what: string;
  /** The server or node that it concerns. Untrusted. */
  readonly name?: string | undefined;
  /** Untrusted. */
  readonly reason?: string | undefined;
  readonly remedy: string;
  readonly href: string;
  readonly action?: AdminAction | undefined;
}

interface Reports {
  readonly pins: PinsView | undefined;
  readonly config: ConfigView | undefined;
}

type Facts = Pick<LiveState, 'servers' | 'approvals' | 'fleet' | 'daemon'>;

/** All that needs attention, the worst first. */
export function attentionIn(state: Facts, { pins, config }: Reports): readonly Attention[] {
  const all = [
    ...ofConfig(state),
    ...ofApprovals(state),
    ...ofServers(state),
    ...ofFleet(state),
    ...ofPins(pins),
    ...ofIssues(state, config),
  ];
  return [...all.filter(({ tone }) => tone === 'bad'), ...all.filter(({ tone }) => tone === 'warn')];
}

function ofConfig({ daemon }: Facts): readonly Attention[] {
  const { configProblem: reason } = daemon ?? {};
  if (reason === undefined) return [];
  const remedy =
    'Correct the file. The daemon applies it as soon as it is valid, and uses the version before until then.';
  return [{ tone: 'bad', what: 'The config has errors', reason, remedy, href: routeTo('config') }];
}

/** None of them keeps the config from being in effect. */
function ofIssues({ daemon }: Facts, config: ConfigView | undefined): readonly Attention[] {
  const issues = (config?.issues.length ?? 0) + (config?.moreIssues ?? 0);
  if (issues === 0 || daemon?.configProblem !== undefined) return [];
  const remedy = 'The view Config shows each of them with its line and what to write instead.';
  return [{ tone: 'warn', what: `${counted(issues, 'issue')} in the config`, remedy, href: routeTo('config') }];
}

function ofServers({ servers }: Facts): readonly Attention[] {
  return servers.flatMap((server) => {
    const fault = faultOf(server);
    return fault ? [{ name: server.name, href: routeTo('servers', server.name), ...fault }] : [];
  });
}

function faultOf(server: ServerView): Omit<Attention, 'name' | 'href'> | undefined {
  const { name, state, health, needs, needsSignIn, waitsForConsent, lastError, retryAt, disabled } = server;
  if (disabled) return undefined;
  if (waitsForConsent && state !== 'running') {
    return {
      tone: 'warn',
      what: 'Waits for your consent',
      remedy: 'Run “mcpx trust” to see what it runs, and to allow it.',
    };
  }
  if (needs !== undefined) {
    const remedy = needsSignIn
      ? 'Sign in with “mcpx login” and its name.'
      : 'Set it in the .env file beside the config, or in the environment of the daemon; install a missing program.';
    return { tone: 'warn', what: 'Not set up', reason: needs, remedy };
  }
  if (state === 'failed') {
    const remedy =
      retryAt === undefined
        ? 'Read its log, fix the cause, then start it.'
        : 'It is tried again by itself. Its log may say why.';
    return { tone: 'bad', what: 'Failed', reason: lastError, remedy, action: { action: 'start', server: name } };
  }
  if (health === 'unhealthy' || state === 'degraded') {
    const what = health === 'unhealthy' ? 'Does not respond to checks' : 'Works in part';
    const remedy = 'Its page shows its checks and its log. Restart it if it stays like that.';
    return { tone: 'warn', what, reason: lastError, remedy, action: { action: 'restart', server: name } };
  }
  return undefined;
}

function ofFleet({ fleet }: Facts): readonly Attention[] {
  if (!fleet) return [];
  const href = routeTo('fleet');
  const lost = fleet.nodes.filter(({ state }) => state === 'unreachable');
  return [
    ...(fleet.phase === 'joined' || fleet.phase === 'left'
      ? []
      : [
          {
            tone: 'warn',
            what: `This node is ${phases[fleet.phase]} the fleet`,
            reason: fleet.error,
            remedy: 'It keeps trying. Check the NATS server.',
            href,
          } as const,
        ]),
    ...lost.map(
      ({ name }) =>
        ({
          tone: 'warn',
          what: 'Node of the fleet is lost',
          name,
          remedy: 'Its singletons move to other nodes. Start its daemon, or run “mcpx fleet forget”.',
          href,
        }) as const,
    ),
    ...(fleet.alarms.length === 0
      ? []
      : [
          {
            tone: 'bad',
            what: 'The fleet forbids something to this node',
            remedy: 'Check the permissions on the NATS server.',
            href,
          } as const,
        ]),
  ];
}

const phases = { joining: 'joining', 'cut-off': 'cut off from', failed: 'no part of' } as const;

function ofApprovals({ approvals }: Facts): readonly Attention[] {
  if (approvals.length === 0) return [];
  const what = `${counted(approvals.length, 'call')} ${approvals.length === 1 ? 'waits' : 'wait'} for your approval`;
  return [{ tone: 'warn', what, remedy: 'Read the arguments, then approve or deny.', href: routeTo('calls') }];
}

function ofPins(pins: PinsView | undefined): readonly Attention[] {
  if (!pins || pins.total === 0) return [];
  const changed = pins.pins.filter(({ trust }) => trust === 'changed').length;
  const what = `${counted(pins.total, 'tool')} held back${changed === 0 ? '' : `, ${changed} changed since the approval`}`;
  return [{ tone: 'warn', what, remedy: 'Read the difference of the texts, then approve.', href: routeTo('access') }];
}
