import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { AdminAction } from '../../../src/dashboard/page-messages.js';
import type { LiveState } from '../live-state.js';
import { useMethod } from '../use-response.js';
import { routeTo, type ViewName, views } from '../use-route.js';
import type { Act } from './confirm-dialog.js';
import { ForeignText } from './foreign-text.js';
import { useModal } from './use-modal.js';

const maxShown = 12;
const maxTools = 8;

interface Entry {
  readonly id: string;
  /** Untrusted. */
  readonly label: string;
  readonly kind: 'view' | 'server' | 'tool' | 'action';
  readonly goal: { readonly href: string } | { readonly action: AdminAction };
}

interface CommandPaletteProps {
  readonly state: LiveState;
  readonly titles: Readonly<Record<ViewName, string>>;
  readonly act: Act;
  readonly onClose: () => void;
}

/** Opens with Ctrl+K or ⌘K, and closes with it. Not over another dialog. */
export function useCommandPalette(): readonly [isOpen: boolean, setOpen: (isOpen: boolean) => void] {
  const [isOpen, setOpen] = useState(false);
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey) || event.shiftKey || event.altKey)
        return;
      event.preventDefault();
      if (!isOpen && document.querySelector('dialog[open]')) return;
      setOpen(!isOpen);
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, [isOpen]);
  return [isOpen, setOpen];
}

/**
 * Goes to a view, a server or a tool, or begins an action that the page may do.
 *
 * @see https://www.w3.org/WAI/ARIA/apg/patterns/combobox/
 */
export function CommandPalette({ state, titles, act, onClose }: CommandPaletteProps) {
  const [words, setWords] = useState('');
  const [chosen, setChosen] = useState(0);
  const entries = useEntries(words, { state, titles, act });
  const list = useRef<HTMLDivElement>(null);
  const leave = () => {
    close();
    onClose();
  };
  const { dialog, close } = useModal(leave);
  const index = Math.min(chosen, entries.length - 1);
  const selected = entries[index];
  useEffect(() => list.current?.children[index]?.scrollIntoView({ block: 'nearest' }), [index]);
  const run = ({ goal }: Entry) => {
    leave();
    if ('href' in goal) location.hash = goal.href;
    else act?.(goal.action);
  };
  const move = (by: number) => setChosen((index + by + entries.length) % Math.max(entries.length, 1));
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes it, too.
    <dialog
      {...dialog}
      class="palette"
      aria-label="Go to"
      onClick={(event) => {
        if (event.target === event.currentTarget) leave(); // beside it
      }}
    >
      <input
        type="text"
        role="combobox"
        aria-label="Go to a view, a server or a tool, or do something"
        aria-expanded={true}
        aria-controls="palette-list"
        aria-autocomplete="list"
        aria-activedescendant={selected && optionId(index)}
        placeholder="Go to …"
        value={words}
        maxLength={200}
        autocomplete="off"
        spellcheck={false}
        onInput={({ currentTarget }) => {
          setWords(currentTarget.value);
          setChosen(0);
        }}
        onKeyDown={(event) => {
          if (event.key === 'ArrowDown') move(1);
          else if (event.key === 'ArrowUp') move(-1);
          else if (event.key === 'Enter' && selected) run(selected);
          else return;
          event.preventDefault();
        }}
      />
      <div role="listbox" id="palette-list" aria-label="Results" ref={list}>
        {entries.map((entry, each) => (
          // biome-ignore lint/a11y/useFocusableInteractive: the input has the focus, and names the chosen option.
          // biome-ignore lint/a11y/useKeyWithClickEvents: Enter in the input chooses, too.
          <div
            key={entry.id}
            id={optionId(each)}
            role="option"
            aria-selected={each === index}
            onMouseMove={() => setChosen(each)}
            onClick={() => run(entry)}
          >
            <ForeignText text={entry.label} maxLength={200} />
            <span class="note">{entry.kind}</span>
          </div>
        ))}
      </div>
      <p role="status" class={entries.length === 0 ? 'note' : 'visually-hidden'}>
        {entries.length === 0 ? 'Nothing has that name.' : `${entries.length} found`}
      </p>
    </dialog>
  );
}

function optionId(index: number): string {
  return `palette-${index}`;
}

/** Those that have each of the words, best first. Tools are searched by the daemon. */
function useEntries(
  words: string,
  { state, titles, act }: Pick<CommandPaletteProps, 'state' | 'titles' | 'act'>,
): readonly Entry[] {
  const wanted = words.trim().toLowerCase();
  const asked =
    wanted === '' ? undefined : { request: { query: words.trim(), limit: maxTools, include: 'known' as const } };
  const { response } = useMethod('search', asked);
  return useMemo(() => {
    const parts = wanted.split(/\s+/);
    const own = [...viewEntries(state, titles), ...serverEntries(state, act), ...recordingEntries(state, act)];
    const found = own
      .filter(({ label }) => parts.every((part) => label.toLowerCase().includes(part)))
      .toSorted((one, other) => placeOf(one, wanted) - placeOf(other, wanted))
      .slice(0, maxShown);
    const tools = (wanted === '' ? [] : (response?.tools ?? [])).map(
      ({ name, server, tool }): Entry => ({
        id: `tool ${name}`,
        label: server === undefined ? tool : `${server}.${tool}`,
        kind: 'tool',
        goal: { href: routeTo('tools', name) },
      }),
    );
    return [...found, ...tools];
  }, [wanted, state.servers, state.recording, state.fleet, titles, act, response]);
}

/** Names that begin with the words come first, and actions last. */
function placeOf({ label, kind }: Entry, wanted: string): number {
  return (label.toLowerCase().startsWith(wanted) ? 0 : 1) + (kind === 'action' ? 2 : 0);
}

function viewEntries({ fleet }: LiveState, titles: Readonly<Record<ViewName, string>>): readonly Entry[] {
  return views
    .filter((view) => view !== 'fleet' || fleet !== undefined)
    .map((view) => ({ id: `view ${view}`, label: titles[view], kind: 'view', goal: { href: routeTo(view) } }));
}

function serverEntries({ servers }: LiveState, act: Act): readonly Entry[] {
  return servers.flatMap(({ name, state, disabled }) => {
    const place: Entry = {
      id: `server ${name}`,
      label: name,
      kind: 'server',
      goal: { href: routeTo('servers', name) },
    };
    if (!act || disabled) return [place];
    const isUp = state !== 'stopped' && state !== 'failed';
    const actions = isUp ? (['restart', 'stop'] as const) : (['start'] as const);
    return [
      place,
      ...actions.map(
        (action): Entry => ({
          id: `${action} ${name}`,
          label: `${action.charAt(0).toUpperCase()}${action.slice(1)} ${name} …`,
          kind: 'action',
          goal: { action: { action, server: name } },
        }),
      ),
    ];
  });
}

function recordingEntries({ recording }: LiveState, act: Act): readonly Entry[] {
  if (!act || !recording) return [];
  const action = recording.isOn ? 'stop-recording' : 'record-calls';
  const label = recording.isOn ? 'Stop recording calls …' : 'Record calls …';
  return [{ id: action, label, kind: 'action', goal: { action: { action } } }];
}
