import { useState } from 'preact/hooks';
import type { ParamsOf, ResultOf } from '../api.js';
import { foreignLine } from '../foreign-text-parts.js';
import { counted } from '../format.js';
import { ForeignText } from '../parts/foreign-text.js';
import { useMethod } from '../use-response.js';
import { type Route, routeTo, useQueryValue } from '../use-route.js';

type Report = ResultOf<'access'>;
type Row = Report['tools'][number];
type Cell = Row['cells'][number];

interface RoleAccessProps {
  /** Its query has part of a name as `q`, the two compared roles as `one` and `other`, and the `offset`. */
  readonly route: Route;
  /** Changes with the known tools. */
  readonly version: string;
}

/** What each role may use, with reasons; the differences of two roles; and rules that match nothing. */
export function RoleAccess({ route, version }: RoleAccessProps) {
  const { response: roles, problem } = useMethod('roles', {}, version);
  return (
    <section aria-labelledby="roles">
      <h2 id="roles">Roles</h2>
      {!roles && <p class="note">{problem ?? 'One moment …'}</p>}
      {roles?.length === 0 && <p class="note">The config restricts no roles: everyone may use everything.</p>}
      {roles && roles.length > 0 && (
        <>
          <RuleNotes roles={roles} />
          <AccessMatrix route={route} version={version} names={roles.map(({ role }) => role)} />
        </>
      )}
    </section>
  );
}

/** Entries of rules without effect, or with more than was meant. */
function RuleNotes({ roles }: { readonly roles: ResultOf<'roles'> }) {
  const notes = roles.flatMap(({ role, unmatched, ambiguous }) =>
    [...unmatched, ...ambiguous].map(({ list, pattern, message }) => ({ id: `${role} ${list} ${pattern}`, message })),
  );
  if (notes.length === 0) return <p class="note">No entry of a rule is known to match nothing.</p>;
  return (
    <ul class="rule-notes" aria-label="Rules that match nothing, or several servers">
      {notes.slice(0, 100).map(({ id, message }) => (
        <li key={id}>
          <span class="badge badge-warn">!</span> <ForeignText text={message} maxLength={1_000} />
        </li>
      ))}
    </ul>
  );
}

interface AccessMatrixProps extends RoleAccessProps {
  readonly names: readonly string[];
}

function AccessMatrix({ route, version, names }: AccessMatrixProps) {
  const [text, setText] = useQueryValue(route, 'q');
  const [one, setOne] = useQueryValue(route, 'one');
  const [other, setOther] = useQueryValue(route, 'other');
  const [offset, setOffset] = useQueryValue(route, 'offset');
  const chosen = [...new Set([one, other].filter((name) => names.includes(name)))];
  const params: ParamsOf<'access'> = {
    text: text.trim(),
    offset: Number(offset) || 0,
    ...(chosen.length > 0 && { roles: chosen }),
  };
  const { response, problem } = useMethod('access', params, version);
  const change = (set: (value: string) => void) => (value: string) => {
    set(value);
    setOffset('');
  };
  return (
    <>
      <search class="filters even">
        <label>
          Tool
          <input
            type="search"
            value={text}
            placeholder="server.tool"
            maxLength={256}
            autocomplete="off"
            spellcheck={false}
            onInput={({ currentTarget }) => change(setText)(currentTarget.value)}
          />
        </label>
        <RoleSelect label="Role" names={names} value={one} onValue={change(setOne)} nothing="all" />
        <RoleSelect label="Compare with" names={names} value={other} onValue={change(setOther)} nothing="no other" />
      </search>
      <p role="status" class="note">
        {problem ?? (response ? countOf(response, chosen) : 'One moment …')}
      </p>
      {response && response.tools.length > 0 && <Matrix report={response} />}
      {response && <Pages report={response} offset={Number(offset) || 0} onOffset={setOffset} />}
    </>
  );
}

function countOf({ total, tools }: Report, chosen: readonly string[]): string {
  const all = counted(total, chosen.length === 2 ? 'tool' : 'known tool');
  const differ = chosen.length === 2 ? ` about which “${chosen[0]}” and “${chosen[1]}” differ` : '';
  return `${all}${differ}${total > tools.length ? `, ${tools.length} shown` : ''}`;
}

interface RoleSelectProps {
  readonly label: string;
  readonly names: readonly string[];
  readonly value: string;
  readonly onValue: (value: string) => void;
  readonly nothing: string;
}

function RoleSelect({ label, names, value, onValue, nothing }: RoleSelectProps) {
  return (
    <label>
      {label}
      <select value={value} onChange={({ currentTarget }) => onValue(currentTarget.value)}>
        <option value="">{nothing}</option>
        {names.map((name) => (
          <option key={name} value={name}>
            {foreignLine(name, 80)}
          </option>
        ))}
      </select>
    </label>
  );
}

function Matrix({ report: { roles, tools } }: { readonly report: Report }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keyboard.
    // biome-ignore lint/a11y/useSemanticElements: a section would be a landmark.
    <div class="matrix" role="group" aria-label="Tools by role" tabIndex={0}>
      <table>
        <thead>
          <tr>
            <th scope="col">Tool</th>
            {roles.map((role) => (
              <th key={role} scope="col">
                <ForeignText text={role} maxLength={80} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {tools.map((row) => (
            <ToolRow key={row.name} row={row} roles={roles} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** A tool with the decision about each role, and with their reasons when it is opened. */
function ToolRow({
  row: { name, server, tool, cells },
  roles,
}: {
  readonly row: Row;
  readonly roles: readonly string[];
}) {
  const [isOpen, setOpen] = useState(false);
  const shown = server === undefined ? tool : `${server}.${tool}`;
  return (
    <>
      <tr>
        <th scope="row" class="tool">
          <button type="button" class="link" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
            <code>
              <ForeignText text={shown} maxLength={200} />
            </code>
          </button>
        </th>
        {cells.map((cell, index) => (
          <td key={roles[index]} data-label={foreignLine(roles[index] ?? '', 80)} class={`cell-${cell.decision}`}>
            {labels[cell.decision]}
          </td>
        ))}
      </tr>
      {isOpen && (
        <tr class="reasons">
          <td colSpan={cells.length + 1}>
            <ul aria-label={foreignLine(`Reasons for ${shown}`)}>
              {cells.map(({ reason }, index) => (
                <li key={roles[index]}>
                  <ForeignText text={reason} maxLength={1_000} />
                </li>
              ))}
            </ul>
            <a href={routeTo('tools', name)}>The tool</a>
          </td>
        </tr>
      )}
    </>
  );
}

const labels: Readonly<Record<Cell['decision'], string>> = {
  allowed: '✓ allowed',
  asked: '◐ asks first',
  denied: '– denied',
};

interface PagesProps {
  readonly report: Report;
  readonly offset: number;
  readonly onOffset: (offset: string) => void;
}

function Pages({ report: { tools, total }, offset, onOffset }: PagesProps) {
  if (offset === 0 && tools.length === total) return null;
  const pageSize = 50;
  const before = Math.max(0, offset - pageSize);
  return (
    <div class="buttons">
      <button type="button" disabled={offset === 0} onClick={() => onOffset(before === 0 ? '' : String(before))}>
        Previous
      </button>
      <button
        type="button"
        disabled={offset + tools.length >= total}
        onClick={() => onOffset(String(offset + pageSize))}
      >
        Next
      </button>
    </div>
  );
}
