import type { AnyElysia } from 'elysia';
import type { Registry } from 'prom-client';
import type { AccountPace } from '../auth/account-pace.ts';
import type { CredentialCache } from '../auth/credential-cache.ts';
import type { FloodStore } from '../auth/flood.ts';
import type { SigningKey } from '../auth/signing-key.ts';
import type { OwnTokenVerifier } from '../auth/verify-own-token.ts';
import type { LiveAuthorities } from '../authorities/live/live-authorities.ts';
import type { BackgroundTasks } from '../base/background-tasks.ts';
import type { UploadRate } from '../base/upload-rate.ts';
import type { FindBaseUrl } from '../http/base-url.ts';
import type { ChallengeMode } from '../http/challenge-modes.ts';
import type { Variants } from '../http/compression.ts';
import type { Cors } from '../http/cors.ts';
import type { CrowdWatch } from '../http/crowd-watch.ts';
import type { KnownRobot } from '../http/known-robots.ts';
import type { RobotVerifier } from '../http/robot-verifier.ts';
import type { TrafficCounter } from '../http/traffic-counter.ts';
import type { TrustedProxies } from '../http/trusted-proxies.ts';
import type { WorkBudget } from '../http/work-budget.ts';
import type { Images } from '../iiif/image/create-images.ts';
import type { JobServices } from '../jobs/job-planner.ts';
import type { Mailer } from '../mail/mailer.ts';
import type { RestMethod } from '../model/rest.ts';
import type { Access } from '../repository/access-rule.ts';
import type { Actor, ActorFacts } from '../repository/actor.ts';
import type { FindAccessLink } from '../repository/asking/access-links.ts';
import type { ContentKinds } from '../repository/content/kinds.ts';
import type { FindContent } from '../repository/content/read/find-content.ts';
import type { ReferredTerms } from '../repository/content/read/known-terms.ts';
import type { ReadContent } from '../repository/content/read/read-content.ts';
import type { FindReadableFile } from '../repository/content/read/readable-files.ts';
import type { FindFile } from '../repository/files/find-file.ts';
import type { FindImage } from '../repository/media/find-image.ts';
import type { FindSettings } from '../repository/settings/find-settings.ts';
import type { SiteSettings } from '../repository/settings/site-overrides.ts';
import type { UsageServices } from '../repository/usage/usage-services.ts';
import type { FindAccount } from '../repository/users/find-account.ts';
import type { FindUser } from '../repository/users/find-user.ts';
import type { Sessions } from '../repository/users/sessions.ts';
import type { WorkFailures } from '../runs/keep-working.ts';
import type { Waker } from '../runs/waker.ts';
import type { SearchRunner } from '../search/search-types.ts';
import type { ReadForResponse } from '../storage/small-objects.ts';
import type { Downloads } from '../transfer/files/downloads.ts';
import type { TableUploadFolders } from '../transfer/table-uploads/table-upload-folders.ts';
import type { CallerCache, Identity } from './known-callers.ts';
import type { Answers } from './respond.ts';
import type { ManagedPage, SiteTheme } from './site.ts';
import type { StatusReport } from './status-report.ts';
import type { WorkFigures } from './work-figures.ts';

/** A file that pages load. */
interface Asset {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly type: string;
  /** Part of its address. */
  readonly hash: string;
  readonly variants: Variants;
}

/** A page for the management of the repository, which registers itself (`defineAdminPage`). */
export interface AdminPage extends ManagedPage {
  readonly access: (actor: Actor, kinds: ContentKinds) => Access;
  readonly routes: (api: ApiServices) => AnyElysia;
}

/** All services that routes use, assembled once in `server/open-repository.ts`. */
export interface ApiServices {
  readonly services: JobServices;
  readonly kinds: ContentKinds;
  readonly findContent: FindContent;
  readonly content: ReadContent;
  readonly answers: Answers;
  /** Searches, lists and the first page, which have bounds of their own (`shared-answers.ts`). */
  readonly listAnswers: Answers;
  readonly knownTerms: ReferredTerms;
  readonly findFile: FindFile;
  readonly findReadableFile: FindReadableFile;
  readonly readForResponse: ReadForResponse;
  readonly findImage: FindImage;
  readonly images: Images;
  readonly search: SearchRunner;
  readonly bulk: Waker;
  readonly findUser: FindUser;
  readonly findAccount: FindAccount;
  readonly findSettings: FindSettings;
  readonly makeActor: (facts: ActorFacts) => Actor;
  readonly anonymous: Actor;
  /** Returns the identity of a caller without credentials, in some networks. */
  readonly anonymousIn: (networks: readonly string[]) => Identity;
  /** Returns the identity of a caller without credentials to whom links open some nodes. */
  readonly anonymousWith: (networks: readonly string[], granted: readonly number[]) => Identity;
  /** Returns the networks of a request that access rules let in. */
  readonly networksOf: (request: Request, peer: string | undefined) => readonly string[];
  /** Finds the link of a token to restricted files. */
  readonly findAccessLink: FindAccessLink;
  readonly sessions: Sessions;
  readonly flood: FloodStore;
  readonly accountPace: AccountPace;
  readonly credentials: CredentialCache;
  readonly knownCallers: CallerCache;
  readonly verifyToken: OwnTokenVerifier;
  readonly signingKey: SigningKey;
  /** The secret of this installation, from which CSRF tokens are derived. */
  readonly secret: Buffer;
  readonly findBaseUrl: FindBaseUrl;
  readonly proxies: TrustedProxies;
  /** Returns true if a route answers this method of a path of `paths`. Valid once the routes have been created. */
  readonly offers: (method: string, path: string) => boolean;
  /** The methods that `offers` looks up, by path, in the order of the routes. */
  readonly offered: Map<string, RestMethod[]>;
  readonly cors: Cors;
  /** The name of the site, which changes at run time as `theme` does: to be read for each request. */
  readonly siteName: string;
  /** Changes with name and theme. Part of the keys of cached pages. */
  readonly siteVersion: string;
  /** Reads the settings of the site that have changed since the last request. Undefined: there are none. */
  readonly refreshSite: () => Promise<void> | undefined;
  /** The settings of the site for the administrators who change them. */
  readonly siteSettings: SiteSettings;
  /** The settings that take effect with a restart, with where their values come from. */
  readonly restartSettings: readonly Readonly<Record<'key' | 'value' | 'origin', string>>[];
  /** The configured base URL of the site, which no request can change. */
  readonly siteUrl: string | undefined;
  /** The mail server, and the configured address of the site for links in mails. Undefined without a mail server. */
  readonly mail: { readonly mailer: Mailer; readonly baseUrl: string } | undefined;
  /** The number of days before the end of an access rule at which its contact gets a mail; 0 for none. */
  readonly accessNoticeDays: number;
  /** The settings of OAI-PMH. */
  readonly oai: { readonly adminEmail: string | undefined; readonly pageSize: number };
  /** The authority files on the web that forms ask. */
  readonly authorities: LiveAuthorities;
  readonly theme: SiteTheme;
  readonly adminPages: readonly AdminPage[];
  /** True if the pages of deleted items answer 410 with what they were. */
  readonly hasTombstones: boolean;
  /** The robots that name themselves, and what verifies them. */
  readonly knownRobots: readonly KnownRobot[];
  readonly robotVerifier: RobotVerifier;
  /** Notices crowds of robots, and when their challenge is offered. */
  readonly crowd: CrowdWatch;
  readonly challenge: ChallengeMode;
  /** The requests that are not stored yet (`repository/traffic`), and the time for which they are kept. */
  readonly traffic: TrafficCounter;
  readonly trafficKeptSeconds: number;
  /** The budgets of expensive work (`spend`), and its figures. */
  readonly workBudget: WorkBudget;
  readonly workFigures: WorkFigures;
  /** The text of `/robots.txt`. */
  readonly robots: string;
  readonly usage: UsageServices;
  /** The work of this process that no request waits for. */
  readonly background: BackgroundTasks;
  /** What fails of it at present. */
  readonly failures: WorkFailures;
  /** The folders of uploaded tables. */
  readonly tableUploadFolders: TableUploadFolders;
  /** The files that uploaded tables may name by their addresses. */
  readonly downloads: Downloads;
  /** Reads the state of the running repository. */
  readonly readStatus: () => Promise<StatusReport>;
  /** Returns a file that pages load, by its name. */
  readonly findAsset: (name: string) => Asset | undefined;
  /** The metrics of `/metrics`. */
  readonly metrics: Pick<Registry, 'metrics' | 'contentType'>;
  /** Name, version and license of the program. */
  readonly program: Readonly<Record<'name' | 'version' | 'license' | 'description', string>>;
  /** Changes with the program and its content model, which may represent the same version differently. Part of ETags. */
  readonly edition: string;
  readonly tokenExpirySeconds: number;
  /** Maximum size of a JSON body in bytes. */
  readonly maxJsonBytes: number;
  /** Maximum size of a file in bytes. Undefined for no limit. */
  readonly maxUploadBytes: number | undefined;
  readonly minUploadRate: UploadRate;
}
