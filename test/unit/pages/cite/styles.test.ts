import { describe, expect, it } from 'bun:test';
import { apa } from '../../../../src/pages/cite/apa.ts';
import { chicago } from '../../../../src/pages/cite/chicago.ts';
import { citedWork } from '../../../../src/pages/cite/cited-work.ts';
import { mla } from '../../../../src/pages/cite/mla.ts';
import type { Run } from '../../../../src/pages/cite/runs.ts';
import type { Agent } from '../../../../src/pages/description/agent.ts';
import type { Description } from '../../../../src/pages/description/description.ts';
import { workKind } from '../../../../src/pages/description/work-kind.ts';
import { loadTestModel } from '../../../support/content-model.ts';

const PHOTOGRAPH = ['http://purl.org/coar/resource_type/c_c513', 'http://id.loc.gov/vocabulary/resourceTypes/pho'];
const URL = 'https://repo.example/node/1';
const { models } = await loadTestModel();

const person = (label: string, role = 'relators:aut'): Agent => ({ label, isPerson: true, role, target: undefined });
const company = (label: string): Agent => ({ ...person(label), isPerson: false });

function cite(changes: Partial<Description> = {}) {
  const described: Description = {
    ...{ title: 'Moon and Half Dome', url: URL, citeAs: URL, kind: workKind(PHOTOGRAPH, models), summary: undefined },
    ...{ creators: [person('Adams, Ansel Easton, 1902-1984')], contributors: [], date: '1960-12-28' },
    ...{ publishers: [], place: undefined, identifiers: { doi: undefined, isbn: [], issn: [] } },
    ...{ container: undefined, volume: undefined, issue: undefined, language: 'en', values: [], isPage: false },
    ...changes,
  };
  const work = citedWork(described, 'Town Archive', 'node-1');
  return { apa: textOf(apa(work)), chicago: textOf(chicago(work)), mla: textOf(mla(work)) };
}

const textOf = (runs: readonly Run[]) => runs.map(({ text }) => text).join('');

describe('a citation', () => {
  it('has author, date, title, kind, site and address', () => {
    expect(cite()).toEqual({
      apa: `Adams, A. E. (1960). Moon and Half Dome [Photograph]. Town Archive. ${URL}`,
      chicago: `Adams, Ansel Easton. 1960. Moon and Half Dome. Photograph, December 28. Town Archive. ${URL}.`,
      mla: `Adams, Ansel Easton. Moon and Half Dome. 28 Dec. 1960. Town Archive, ${URL}.`,
    });
  });

  it('starts with the title if there is no author', () => {
    expect(cite({ creators: [] })).toEqual({
      apa: `Moon and Half Dome [Photograph]. (1960). Town Archive. ${URL}`,
      chicago: `Moon and Half Dome. 1960. Photograph, December 28. Town Archive. ${URL}.`,
      mla: `Moon and Half Dome. 28 Dec. 1960. Town Archive, ${URL}.`,
    });
  });

  it('states a missing date, except in MLA', () => {
    expect(cite({ date: undefined })).toEqual({
      apa: `Adams, A. E. (n.d.). Moon and Half Dome [Photograph]. Town Archive. ${URL}`,
      chicago: `Adams, Ansel Easton. n.d. Moon and Half Dome. Photograph. Town Archive. ${URL}.`,
      mla: `Adams, Ansel Easton. Moon and Half Dome. Town Archive, ${URL}.`,
    });
  });

  it.each([
    ['1929~', '(ca. 1929)', 'ca. 1929.', 'Circa 1929,'],
    ['1929?', '(1929?)', '1929?', '1929?'],
    ['1929%', '(ca. 1929?)', 'ca. 1929?', 'Circa 1929?'],
    ['192X', '(1920s)', '1920s.', '1920s.'],
    ['18XX', '(19th century)', '19th century.', '19th century.'],
    ['-19XX', '(20th century BCE)', '20th century BCE.', '20th century BCE.'],
    ['Y10000', '(10,000)', '10,000.', '10,000.'],
    ['XXXX', '(n.d.)', 'n.d.', 'Moon'],
    ['1XXX', '(between 1000 and 1999)', 'between 1000 and 1999.', 'between 1000 and 1999.'],
    ['1890/1930', '(1890–1930)', '1890–1930.', '1890–1930.'],
    ['1890~/1930', '(ca. 1890–1930)', 'ca. 1890–1930.', 'Circa 1890–1930.'],
    ['1890/..', '(1890–)', '1890–.', '1890–.'],
    ['../1930', '(–1930)', '–1930.', '–1930.'],
    ['[1667,1668,1670..1672]', '(1667–1672)', '1667–1672.', '1667–1672.'],
    ['1908-22', '(1908)', '1908.', 'Summer 1908.'],
    ['1908-XX-XX', '(1908)', '1908.', '1908.'],
    ['-0043', '(44 BCE)', '44 BCE.', '44 BCE.'],
    ['2004-01-01T10:10:10Z', '(2004)', '2004.', '1 Jan. 2004.'],
    ['XXXX-12', '(n.d.)', 'n.d.', 'Moon'],
    ['yesterday', '(n.d.)', 'n.d.', 'Moon'],
  ])('formats the date %s', (date, ...words) => {
    const { apa, chicago, mla } = cite({ date });
    expect(apa).toContain(words[0] as string);
    expect(chicago).toContain(`Easton. ${words[1]}`);
    expect(mla.toLowerCase()).toContain((words[2] as string).replace(/[.,]$/, '').toLowerCase());
  });

  it('formats months and days of works that are not dated by year alone', () => {
    const letter = { kind: workKind(['http://id.loc.gov/vocabulary/resourceTypes/man'], models) };
    expect(cite({ ...letter, date: '1938-05-26' })).toMatchObject({
      apa: `Adams, A. E. (1938, May 26). Moon and Half Dome [Manuscript]. Town Archive. ${URL}`,
      chicago: `Adams, Ansel Easton. 1938. “Moon and Half Dome.” Manuscript, May 26. Town Archive. ${URL}.`,
    });
    expect(cite({ ...letter, date: '1938-09' }).mla).toContain('Sept. 1938.');
  });

  it('joins several authors', () => {
    const [a, b, c] = [person('Adams, Ansel'), person('Sartre, Jean-Paul'), company('Town of Ö')];
    expect(cite({ creators: [a, b] })).toEqual({
      apa: expect.stringContaining('Adams, A., & Sartre, J.-P. (1960)'),
      chicago: expect.stringContaining('Adams, Ansel, and Jean-Paul Sartre. 1960.'),
      mla: expect.stringContaining('Adams, Ansel, and Jean-Paul Sartre. Moon'),
    });
    expect(cite({ creators: [a, b, c] })).toEqual({
      apa: expect.stringContaining('Adams, A., Sartre, J.-P., & Town of Ö. (1960)'),
      chicago: expect.stringContaining('Adams, Ansel, Jean-Paul Sartre, and Town of Ö. 1960.'),
      mla: expect.stringContaining('Adams, Ansel, et al. Moon'),
    });
  });

  it('shortens long lists of authors', () => {
    const creators = Array.from({ length: 25 }, (_, at) => person(`Name${at}, Given`));
    const { apa, chicago } = cite({ creators });
    expect(apa).toContain('Name18, G., . . . Name24, G. (1960)');
    expect(apa).not.toContain('Name19');
    expect(chicago).toContain('Given Name6, et al. 1960.');
  });

  it('names editors of a work without authors', () => {
    const contributors = [person('Doe, Jane', 'relators:edt')];
    expect(cite({ creators: [], contributors })).toEqual({
      apa: expect.stringContaining('Doe, J. (Ed.). (1960). Moon'),
      chicago: expect.stringContaining('Doe, Jane, ed. 1960. Moon'),
      mla: expect.stringContaining('Doe, Jane, editor. Moon'),
    });
  });

  it('ends a title with one punctuation mark', () => {
    expect(cite({ title: 'What is history?' }).mla).toContain('history? 28 Dec.');
    expect(cite({ title: 'A letter.' }).mla).toContain('A letter. 28 Dec.');
    expect(cite({ title: 'A map /' }).mla).toContain('A map. 28 Dec.');
    expect(cite({ title: '/' }).mla).toContain('/. 28 Dec.');
    const article = { title: 'Why “Now”?', container: 'Town Review', volume: '12', issue: '3' };
    expect(cite(article)).toEqual({
      apa: expect.stringContaining('Why “Now”? [Photograph]. Town Review, 12(3). Town Archive.'),
      chicago: expect.stringContaining('“Why ‘Now’?” Town Review 12 (3).'),
      mla: expect.stringContaining('“Why ‘Now’?” Town Review, vol. 12, no. 3, 28 Dec. 1960. Town Archive,'),
    });
  });

  it('has publisher and place, and names the site only once', () => {
    const book = { kind: workKind(['https://schema.org/Book'], models), date: '1960' };
    expect(cite({ ...book, publishers: ['Town Press'], place: 'Berlin' })).toEqual({
      apa: `Adams, A. E. (1960). Moon and Half Dome. Town Press. Town Archive. ${URL}`,
      chicago: `Adams, Ansel Easton. 1960. Moon and Half Dome. Berlin: Town Press. Town Archive. ${URL}.`,
      mla: `Adams, Ansel Easton. Moon and Half Dome. Town Press, 1960. Town Archive, ${URL}.`,
    });
    expect(cite({ ...book, publishers: ['Town Archive'] })).toEqual({
      apa: `Adams, A. E. (1960). Moon and Half Dome. Town Archive. ${URL}`,
      chicago: `Adams, Ansel Easton. 1960. Moon and Half Dome. Town Archive. ${URL}.`,
      mla: `Adams, Ansel Easton. Moon and Half Dome. 1960. Town Archive, ${URL}.`,
    });
  });

  it('writes names in other scripts in full', () => {
    expect(cite({ creators: [person('محفوظ، نجيب')] }).apa).toStartWith('محفوظ, نجيب. (1960).');
    expect(cite({ creators: [person('夏目, 漱石')] }).apa).toStartWith('夏目, 漱石. (1960).');
    expect(cite({ creators: [person('Толстой, Лев Николаевич')] }).apa).toStartWith('Толстой, Л. Н. (1960).');
  });

  it.each([
    ['Adams, Ansel, 1902-1984', 'Adams, Ansel.'],
    ['Adams, Ansel, b. 1902', 'Adams, Ansel.'],
    ['Adams, Ansel, approximately 1902-approximately 1984', 'Adams, Ansel.'],
    ['Adams, Ansel, active 16th century', 'Adams, Ansel.'],
    ['Eliot, T. S. (Thomas Stearns), 1888-1965', 'Eliot, T. S.'],
    ['King, Martin Luther, Jr., 1929-1968', 'King, Martin Luther, Jr.'],
    ['Ansel Adams', 'Ansel Adams.'],
    ['Plato', 'Plato.'],
    ['Homer, 800?', 'Homer.'],
  ])('names the person %s without dates', (label, name) => {
    expect(cite({ creators: [person(label)] }).mla).toStartWith(`${name} Moon`);
  });
});
