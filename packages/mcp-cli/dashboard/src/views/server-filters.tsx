import type { ServerView } from '../../../src/dashboard/page-messages.js';
import { hasWords } from '../format.js';
import { SearchField } from '../parts/search-field.js';

/** Filter of the list of servers. */
export interface ServerChoice {
  /** One of the groups; another word means all. */
  readonly group: string;
  readonly words: string;
}

/** Groups by urgency: healthy, unsettled, off. */
const groups = {
  running: ({ state, health }) => state === 'running' && health !== 'unhealthy',
  troubled: ({ state, health }) => health === 'unhealthy' || !['running', 'stopped', 'failed'].includes(state),
  failed: ({ state }) => state === 'failed',
  stopped: ({ state }) => state === 'stopped',
} as const satisfies Readonly<Record<string, (server: ServerView) => boolean>>;
type Group = keyof typeof groups;

const labels: Readonly<Record<Group, string>> = {
  running: '● running',
  troubled: '◐ unsettled',
  failed: '✕ failed',
  stopped: '○ stopped',
};
const tones: Readonly<Record<Group, string>> = { running: 'good', troubled: 'warn', failed: 'bad', stopped: 'quiet' };
/** Shorter lists need no filter. */
const fewServers = 6;

export function isShown(server: ServerView, { group, words }: ServerChoice): boolean {
  const isOfGroup = !Object.hasOwn(groups, group) || groups[group as Group](server);
  return isOfGroup && hasWords([server.name], words);
}

interface ServerFiltersProps {
  readonly servers: readonly ServerView[];
  readonly choice: ServerChoice;
  readonly onGroup: (group: string) => void;
  readonly onWords: (words: string) => void;
  readonly isTable: boolean;
  readonly onForm: (isTable: boolean) => void;
}

export function ServerFilters({ servers, choice, onGroup, onWords, isTable, onForm }: ServerFiltersProps) {
  const counts = (Object.keys(groups) as Group[]).map((group) => ({
    group,
    count: servers.filter((server) => groups[group](server)).length,
  }));
  const offered = counts.filter(({ group, count }) => count > 0 || group === choice.group);
  if (servers.length < 2) return null;
  return (
    <search class="filters" aria-label="Which servers">
      <div class="chips">
        <Chip
          label="all"
          count={servers.length}
          tone="quiet"
          isOn={!Object.hasOwn(groups, choice.group)}
          onPress={() => onGroup('')}
        />
        {offered.map(({ group, count }) => (
          <Chip
            key={group}
            label={labels[group]}
            count={count}
            tone={tones[group]}
            isOn={group === choice.group}
            onPress={() => onGroup(group === choice.group ? '' : group)}
          />
        ))}
      </div>
      {servers.length > fewServers && <SearchField label="Find a server" value={choice.words} onValue={onWords} />}
      <label class="check">
        <input type="checkbox" checked={isTable} onChange={({ currentTarget }) => onForm(currentTarget.checked)} />
        As a table
      </label>
    </search>
  );
}

interface ChipProps {
  readonly label: string;
  readonly count: number;
  readonly tone: string;
  readonly isOn: boolean;
  readonly onPress: () => void;
}

function Chip({ label, count, tone, isOn, onPress }: ChipProps) {
  return (
    <button type="button" class={`chip chip-${tone}`} aria-pressed={isOn} onClick={onPress}>
      {label} <strong>{count}</strong>
    </button>
  );
}
