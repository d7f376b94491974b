import type { ServerRules, ToolOverrideView } from '../../../src/dashboard/page-messages.js';
import { counted } from '../format.js';
import { ForeignText } from '../parts/foreign-text.js';
import { routeTo } from '../use-route.js';

interface ServerRulesPartProps {
  readonly server: string;
  readonly rules: ServerRules;
}

/** Which roles may use the server, the texts that the config gives its tools, and entries that this one replaces. */
export function ServerRulesPart({ server, rules: { tools, roles, overrides, replaces } }: ServerRulesPartProps) {
  return (
    <section class="server-rules" aria-labelledby="server-rules">
      <h3 id="server-rules">Roles and overrides</h3>
      <p class="note">They decide who may call what, and what models read, so they are changed in the files.</p>
      {roles.length === 0 && <p class="note">The config restricts no roles: everyone may use its tools.</p>}
      {roles.length > 0 && tools === 0 && <p class="note">Its tools are not known before its first start.</p>}
      {roles.length > 0 && tools > 0 && (
        <ul class="names" aria-label={`Roles that may use its ${counted(tools, 'tool')}`}>
          {roles.map(({ role, allowed }) => (
            <li key={role}>
              <a href={routeTo('access', undefined, { q: `${server}.`, one: role })}>
                <ForeignText text={role} maxLength={80} />
              </a>
              : {allowed === tools ? 'all' : allowed} of {counted(tools, 'tool')}
            </li>
          ))}
        </ul>
      )}
      {overrides.length > 0 && (
        <ul class="rows" aria-label="Texts of tools by the config">
          {overrides.map((override) => (
            <Override key={override.tool} override={override} />
          ))}
        </ul>
      )}
      {replaces.map((path) => (
        <p key={path} class="note">
          Its entry is used in place of the one in <ForeignText text={path} maxLength={1_000} />.
        </p>
      ))}
    </section>
  );
}

function Override({
  override: { tool, title, description, isHidden, isUnmatched },
}: {
  readonly override: ToolOverrideView;
}) {
  return (
    <li class="row">
      <div class="card-head">
        <code>
          <ForeignText text={tool} maxLength={200} />
        </code>
        {isHidden && <span class="badge badge-quiet">hidden</span>}
        {isUnmatched && <span class="badge badge-warn">! the server has no such tool</span>}
      </div>
      {title !== undefined && (
        <p>
          Title: <ForeignText text={title} />
        </p>
      )}
      {description !== undefined && (
        <p>
          Description: <ForeignText text={description} />
        </p>
      )}
    </li>
  );
}
