import { csrfToken, isSameToken } from '../auth/session-token.ts';
import { malformed, ServiceError } from '../base/errors.ts';
import type { JsonObject, JsonValue } from '../base/json.ts';
import { readBodyText } from '../http/read-body.ts';
import type { AuthenticationType } from '../model/rest.ts';
import type { Access, ContentType } from '../repository/access-rule.ts';
import type { Actor } from '../repository/actor.ts';
import type { Content } from '../repository/content/content.ts';
import type { BegunRead, FoundContent, WantedSurroundings } from '../repository/content/read-content.ts';
import type { ApiServices } from './api-services.ts';
import type { Rules } from './check.ts';
import type { Format } from './formats.ts';
import { type Identity, unauthenticated } from './identify.ts';

export interface CallFacts {
  readonly request: Request;
  readonly params: Params;
  /** The path of the route, with its parameters as `:name`. */
  readonly route: string;
  readonly rules: RouteNames;
  readonly identity: Identity;
  /** True for a request without any credentials. */
  readonly isAnonymous: boolean;
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
  /** The read of its content, if it was begun while the caller was identified. */
  readonly begun: BegunRead | undefined;
}

/** How 404 messages name a route. */
export type RouteNames = Pick<Rules, 'name' | 'shownPath'>;

/** The parameters of a path, as a client wrote them. */
export type Params = Readonly<Record<string, string>>;

/** One request on its way: what is known of it, and the checks that its handler asks for in the API's order. */
export class Call {
  readonly api: ApiServices;
  readonly request: Request;
  readonly params: Params;
  readonly identity: Identity;
  readonly isAnonymous: boolean;
  readonly baseUrl: string;
  readonly peer: string | undefined;
  readonly format: Format;
  readonly isNegotiated: boolean;
  /** Content that the access check of a write has read. */
  found: Content | undefined;
  readonly #facts: CallFacts;

  constructor(api: ApiServices, facts: CallFacts) {
    this.api = api;
    this.request = facts.request;
    this.params = facts.params;
    this.identity = facts.identity;
    this.isAnonymous = facts.isAnonymous;
    this.baseUrl = facts.baseUrl;
    this.peer = facts.peer;
    this.format = facts.format;
    this.isNegotiated = facts.isNegotiated;
    this.#facts = facts;
  }

  get actor(): Actor {
    return this.identity.actor;
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

  /** Returns the content that the path names, alone; undefined for what does not exist. */
  async findContent(type: ContentType): Promise<Content | undefined> {
    const id = parseId(this.params[type]);
    return id === undefined ? undefined : this.api.content.find(type, id, this.#facts.begun);
  }

  /** Returns the content that the path names, with its surroundings; undefined for what does not exist. */
  async readContent(type: ContentType, surroundings: WantedSurroundings): Promise<FoundContent | undefined> {
    const id = parseId(this.params[type]);
    if (id === undefined) return undefined;
    return this.api.content.read({ type, id, surroundings, actor: this.actor, begun: this.#facts.begun });
  }

  /** Returns the error for an entity that a path names and that does not exist (spec: rest-behaviour, 2.2). */
  notFound(parameter: string, names: RouteNames | string = this.#facts.rules): ServiceError {
    const { rules, route: path, request } = this.#facts;
    const { name = '', shownPath = path } = typeof names === 'string' ? { ...rules, name: names } : names;
    const routeName = /^rest\.entity\.\w+$/.test(name) ? `${name}.${request.method}` : name;
    const shown = shownPath.replaceAll(/:(\w+)/g, '{$1}');
    return new ServiceError(
      'not-found',
      `The "${parameter}" parameter was not converted for the path "${shown}" (route name: "${routeName}")`,
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

/** Parses a body as a JSON object. Throws `malformed` with the messages of the API (spec: rest-behaviour, 1.3). */
export function parseJsonObject(text: string): JsonObject {
  if (text.trim() === '') throw malformed('No entity content received.');
  let value: JsonValue;
  try {
    value = JSON.parse(text) as JsonValue;
  } catch (error) {
    throw malformed('Syntax error', error);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw malformed('The body must be a JSON object that holds the fields of the entity.');
  return value;
}

/** Where a request keeps its call, as it keeps its record. */
const CALL = Symbol('call');
type CalledRequest = Request & { [CALL]?: Call };

/** Keeps a call with its request, for the hooks and the handler of its route. */
export function rememberCall(call: Call): void {
  const request: CalledRequest = call.request;
  request[CALL] = call;
}

/** Returns the call of a request whose checks have passed. */
export function callOf(request: CalledRequest): Call {
  const call = request[CALL];
  if (call === undefined) throw new Error(`the route of ${request.url} declares no rules`);
  return call;
}

/** A positive integer of a path, or undefined. */
export function parseId(text: string | undefined): number | undefined {
  if (text === undefined || !/^\d{1,15}$/.test(text)) return undefined;
  return Number(text) || undefined;
}
