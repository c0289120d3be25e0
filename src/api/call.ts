import { csrfToken, isSameToken } from '../auth/session-token.ts';
import { ServiceError } from '../base/errors.ts';
import type { JsonObject } from '../base/json.ts';
import { readBodyText } from '../http/read-body.ts';
import type { AuthenticationType } from '../model/content-model.ts';
import type { Access } from '../repository/access-rule.ts';
import type { Actor } from '../repository/actor.ts';
import type { Content } from '../repository/content/content.ts';
import type { DatedSettings } from '../repository/settings/find-settings.ts';
import { parseJsonObject } from '../representation/parse-content.ts';
import type { ApiServices } from './api-services.ts';
import { type Format, parametersOf } from './formats.ts';
import { type Identity, unauthenticated } from './identify.ts';

export interface CallFacts {
  readonly request: Request;
  readonly params: Readonly<Record<string, string>>;
  readonly identity: Identity;
  readonly baseUrl: string;
  /** Address of the peer, for limits. */
  readonly peer: string | undefined;
  /** The representation that is asked for, and whether `Accept` had a say in that. */
  readonly format: Format;
  readonly isNegotiated: boolean;
  /** How a caller may prove who they are; any way if undefined. */
  readonly authentication: readonly AuthenticationType[] | undefined;
  /** Whether a session cookie calls for a CSRF token. */
  readonly needsCsrfToken: boolean;
  /** What was read while it was found out who calls. */
  readonly ahead: Promise<Ahead> | undefined;
}

/** What the answer to a GET of content begins with. */
export interface Ahead {
  /** Undefined for what does not exist. Nothing of it may be told before the caller's access is checked. */
  readonly content: Content | undefined;
  readonly settings: DatedSettings;
}

/** One request on its way: what is known of it, and the checks that its handler asks for in the API's order. */
export class Call {
  readonly api: ApiServices;
  readonly request: Request;
  readonly params: Readonly<Record<string, string>>;
  readonly identity: Identity;
  readonly baseUrl: string;
  readonly peer: string | undefined;
  readonly format: Format;
  readonly isNegotiated: boolean;
  readonly ahead: Promise<Ahead> | undefined;
  readonly #facts: CallFacts;
  #parameters: URLSearchParams | undefined;

  constructor(api: ApiServices, facts: CallFacts) {
    this.api = api;
    this.request = facts.request;
    this.params = facts.params;
    this.identity = facts.identity;
    this.baseUrl = facts.baseUrl;
    this.peer = facts.peer;
    this.format = facts.format;
    this.isNegotiated = facts.isNegotiated;
    this.ahead = facts.ahead;
    this.#facts = facts;
  }

  get actor(): Actor {
    return this.identity.actor;
  }

  /** A query parameter, the first of its name; an empty one counts as missing. */
  query(name: string): string | undefined {
    this.#parameters ??= parametersOf(this.request.url);
    return this.#parameters.get(name) || undefined;
  }

  /**
   * Goes on only if the caller may: 401 for someone who sent no credentials, 403 otherwise; then the CSRF
   * token, then whether this kind of credentials is allowed here (spec: rest-behaviour, 1.1 steps 6 and 7).
   */
  allow(access: Access): void {
    this.require(access);
    this.#checkCsrfToken();
    this.#checkAuthenticationType();
  }

  /** The first part of that alone: for what is asked again later, of facts that may have changed or are known only then. */
  require(access: Access): void {
    if (!access.isAllowed) throw this.refusal(access.reason);
  }

  refusal(reason: string): ServiceError {
    if (this.identity.authentication !== undefined) return new ServiceError('forbidden', reason);
    return unauthenticated(this.api, 'No authentication credentials provided.');
  }

  /** The body as a JSON object. Called after `allow`: what a stranger sends is not read, or only `maxBytes` of it. */
  async json(maxBytes = this.api.maxJsonBytes): Promise<JsonObject> {
    return parseJsonObject(await readBodyText(this.request, maxBytes));
  }

  /** What the API says of an entity that a path names and that does not exist (spec: rest-behaviour, 2.2). */
  notFound(parameter: string, path: string, route: string): ServiceError {
    const shown = path.replaceAll(/:(\w+)/g, '{$1}');
    return new ServiceError(
      'not-found',
      `The "${parameter}" parameter was not converted for the path "${shown}" (route name: "${route}")`,
    );
  }

  #checkCsrfToken(): void {
    const { identity, needsCsrfToken, request } = this.#facts;
    if (!needsCsrfToken || identity.sessionId === undefined) return;
    const token = request.headers.get('x-csrf-token');
    if (token === null) throw new ServiceError('forbidden', 'X-CSRF-Token request header is missing');
    if (!isSameToken(token, csrfToken(identity.sessionId, this.api.secret)))
      throw new ServiceError('forbidden', 'X-CSRF-Token request header is invalid');
  }

  #checkAuthenticationType(): void {
    const used = this.identity.authentication;
    const accepted = this.#facts.authentication;
    if (used === undefined || accepted === undefined || accepted.includes(used)) return;
    throw new ServiceError('forbidden', 'The used authentication method is not allowed on this route.');
  }
}

/** A positive integer of a path, or undefined. */
export function parseId(text: string | undefined): number | undefined {
  if (text === undefined || !/^\d{1,15}$/.test(text)) return undefined;
  return Number(text) || undefined;
}
