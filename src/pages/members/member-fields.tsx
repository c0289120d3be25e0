import { countInWords } from '../../base/in-words.ts';
import type { MemberScope } from '../../bulk/bulk-action.ts';
import { entityPath } from '../../paths.ts';
import type { MemberChoice, MemberChoices } from './gather-members.ts';

/** The number of members that stay and that a page names. */
const MAX_NAMED = 10;

const LABELS: Readonly<Record<MemberChoice['scope'], string>> = { pages: 'With pages', all: 'With everything below' };

interface Props {
  readonly members: MemberChoices;
  readonly chosen: MemberScope;
  /** The label of the choice without members. */
  readonly alone: string;
  readonly root: string;
}

/** The choice of the members that follow a change, with their numbers and with those that stay. */
export function MemberFields({ members: { choices }, chosen, alone, root }: Props) {
  return (
    <fieldset class="member-choices">
      <legend>Members</legend>
      <div class="field check">
        <input type="radio" id="members-none" name="members" value="none" checked={chosen === 'none'} />
        <label for="members-none">{alone}</label>
      </div>
      {choices.map((choice) => (
        <Choice key={choice.scope} choice={choice} isChosen={chosen === choice.scope} root={root} />
      ))}
    </fieldset>
  );
}

function Choice({ choice, isChosen, root }: { choice: MemberChoice; isChosen: boolean; root: string }) {
  const { scope, count, kept, hidden, problem } = choice;
  const id = `members-${scope}`;
  const staying = kept.length + hidden;
  const noun = scope === 'pages' ? 'page' : 'item';
  return (
    <div class="field check">
      <input
        type="radio"
        id={id}
        name="members"
        value={scope}
        checked={isChosen}
        disabled={problem !== undefined}
        aria-describedby={staying > 0 || problem !== undefined ? `${id}-help` : undefined}
      />
      <label for={id}>
        {LABELS[scope]} {problem === undefined && <span class="soft">({countInWords(count, noun)})</span>}
      </label>
      {(staying > 0 || problem !== undefined) && (
        <div class="help" id={`${id}-help`}>
          {problem ?? `${countInWords(staying, `${noun} stays`, `${noun}s stay`)} as before.`}
          {kept.length > 0 && (
            <ul>
              {kept.slice(0, MAX_NAMED).map((member) => (
                <li key={member.id}>
                  <a href={root + entityPath.node(member.id)} dir="auto">
                    {member.label}
                  </a>
                  {`: ${member.reason}`}
                </li>
              ))}
              {kept.length > MAX_NAMED && <li>{`and ${countInWords(kept.length - MAX_NAMED, 'other')}`}</li>}
            </ul>
          )}
        </div>
      )}
    </div>
  );
}
