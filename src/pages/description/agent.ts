import type { Neighbour } from '../../repository/content/read/surroundings.ts';

/** A person or organization with a role in a work. */
export interface Agent {
  /** As the work's record has it: `Adams, Ansel, 1902-1984`. */
  readonly label: string;
  readonly isPerson: boolean;
  /** `relators:aut`; undefined for an author without a role. */
  readonly role: string | undefined;
  /** Undefined for an author that the record has as text. */
  readonly target: Neighbour | undefined;
}

/** The parts of a person's name, or the whole name of an organization or of a person without a comma in the name. */
export type AgentName =
  | { readonly family: string; readonly given: string; readonly suffix: string | undefined }
  | { readonly literal: string };

/** Dates of life at the end of a heading: `, 1902-1984`, `, b. 1950`, `, approximately 1200-1264?`, `, 4th cent.` */
const LIFE_DATES =
  /,\s*(?:(?:b\.|d\.|fl\.|ca?\.|born|died|active|approximately|circa)\s*)*\d{1,4}\s*(?:\?|(?:st|nd|rd|th)\s+cent(?:\.|ury))?(?:\s*[-–]\s*(?:(?:ca?\.|approximately)\s*)?(?:\d{1,4}\??)?)?\s*\.?\s*$/i;
/** A fuller form of the name in parentheses at its end: `Eliot, T. S. (Thomas Stearns)`. */
const FULLER_FORM = /\s*\([^()]*\)\s*$/;
const SUFFIX = /^(?:jr\.?|sr\.?|[ivx]{1,4}|esq\.?)$/i;

/** Returns the name of an agent as citations use it, without dates of life and without a fuller form of the name. */
export function agentName({ label, isPerson }: Pick<Agent, 'label' | 'isPerson'>): AgentName {
  if (!isPerson) return { literal: label.trim() };
  const name = label.replace(LIFE_DATES, '').replace(FULLER_FORM, '').trim();
  const [family = '', given = '', ...rest] = name.split(/\s*[,،]\s*/);
  if (family === '' || given === '') return { literal: (name || label).replace(/[,\s]+$/, '') };
  // Titles, such as "Baron", are not part of a name in citations.
  return { family, given, suffix: rest.find((part) => SUFFIX.test(part)) };
}
