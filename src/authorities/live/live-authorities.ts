import { Cache } from '../../base/cache.ts';
import type { Vocabulary } from '../../model/content-model.ts';
import type { AuthorityKind, AuthorityRecord } from '../authority-record.ts';
import { type AuthorityHit, matchIn } from '../complete-authority.ts';
import { sourceOfUri } from '../source-of-uri.ts';
import { vocabulariesByKind } from '../vocabulary-kinds.ts';
import { askService, ServiceFailure } from './ask-service.ts';
import { type LiveServiceName, liveService } from './services.ts';

const MAX_CACHE_BYTES = 4 * 1024 * 1024;
const KEEP_MS = 3_600_000;
/** The time in which a service that failed is not asked again: a person types on meanwhile. */
const PAUSE_MS = 30_000;

interface LiveSettings {
  readonly services: readonly LiveServiceName[];
  readonly timeoutSeconds: number;
  readonly geonamesUser: string | undefined;
  readonly addresses: Readonly<Partial<Record<LiveServiceName, string>>>;
}

/** The answer of a service to a text. */
interface LiveAnswer {
  readonly hits: readonly AuthorityHit[];
  /** A sentence if it cannot be asked at present. */
  readonly notice: string | undefined;
}

/** The authority files on the web that forms may ask, as configured. */
export class LiveAuthorities {
  readonly #settings: LiveSettings;
  readonly #now: () => number;
  readonly #answers: Cache<readonly AuthorityRecord[]>;
  /** The times from which services that failed may be asked again, with their failures. */
  readonly #paused = new Map<LiveServiceName, { readonly untilMs: number; readonly notice: string }>();

  constructor(settings: LiveSettings, now: () => number = Date.now) {
    this.#settings = settings;
    this.#now = now;
    const bytesOf = (records: readonly AuthorityRecord[]) => 2 * JSON.stringify(records).length;
    this.#answers = new Cache({ maxBytes: MAX_CACHE_BYTES, bytesOf, now });
  }

  /** Returns the services that have records for the terms of some vocabularies. */
  namesFor(vocabularies: readonly Vocabulary[]): { readonly name: LiveServiceName; readonly label: string }[] {
    return this.#settings.services.flatMap((name) => {
      const kinds = this.#kindsFor(name, vocabularies);
      return kinds.size === 0 ? [] : [{ name, label: liveService(name).label }];
    });
  }

  /** Returns the records of a service that a text may mean. A service that fails has a notice. */
  async search(name: string, vocabularies: readonly Vocabulary[], text: string): Promise<LiveAnswer> {
    const service = this.#settings.services.find((each) => each === name);
    if (service === undefined)
      return { hits: [], notice: `This repository does not ask a service ${name.slice(0, 20)}.` };
    const kinds = this.#kindsFor(service, vocabularies);
    if (kinds.size === 0 || text.trim() === '') return { hits: [], notice: undefined };
    const paused = this.#paused.get(service);
    if (paused !== undefined && paused.untilMs > this.#now()) return { hits: [], notice: paused.notice };
    try {
      const records = await this.#ask(service, text.trim(), kinds);
      return { hits: records.flatMap((record) => this.#hitOf(service, vocabularies, record, text)), notice: undefined };
    } catch (error) {
      if (!(error instanceof ServiceFailure)) throw error;
      const notice = `${liveService(service).label} cannot be asked at present: it ${error.message}.`;
      this.#paused.set(service, { untilMs: this.#now() + PAUSE_MS, notice });
      return { hits: [], notice };
    }
  }

  async #ask(name: LiveServiceName, text: string, kinds: ReadonlySet<AuthorityKind>): Promise<AuthorityRecord[]> {
    const { timeoutSeconds, geonamesUser, addresses } = this.#settings;
    const { paths, read, address } = liveService(name);
    if (name === 'geonames' && geonamesUser === undefined)
      throw new ServiceFailure('requires the setting authorities.geonamesUser');
    const base = addresses[name] ?? address;
    const parts = paths(text, kinds, { user: geonamesUser ?? '' }).map(async (path) => {
      const url = new URL(path, base.endsWith('/') ? base : `${base}/`);
      const known = this.#answers.get(url.href);
      if (known !== undefined) return known;
      const records = read(await askService(url, timeoutSeconds));
      this.#answers.set(url.href, records, { expiresAtMs: this.#now() + KEEP_MS });
      return records;
    });
    return (await Promise.all(parts)).flat();
  }

  #kindsFor(name: LiveServiceName, vocabularies: readonly Vocabulary[]): ReadonlySet<AuthorityKind> {
    const byKind = vocabulariesByKind(vocabularies, SOURCES[name]);
    const { kinds } = liveService(name);
    return new Set(byKind.has('any') ? kinds : kinds.filter((kind) => byKind.has(kind)));
  }

  #hitOf(
    name: LiveServiceName,
    vocabularies: readonly Vocabulary[],
    record: AuthorityRecord,
    text: string,
  ): AuthorityHit[] {
    const { source, kind } = sourceOfUri(record.uri);
    const known = record.kind === 'other' ? { ...record, kind } : record;
    const byKind = vocabulariesByKind(vocabularies, source);
    const vocabulary = byKind.get(known.kind) ?? byKind.get('any');
    if (vocabulary === undefined) return [];
    return [{ record: known, list: liveService(name).label, source, vocabulary, match: matchIn(known, text) }];
  }
}

/** The authority files of the services, by their names in the content model. That of the Library of Congress is one of several. */
const SOURCES: Readonly<Record<LiveServiceName, string>> = {
  ...{ loc: 'naf', gnd: 'gnd', viaf: 'viaf', wikidata: 'wiki', geonames: 'geonames' },
};
