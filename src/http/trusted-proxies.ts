import ipaddr from 'ipaddr.js';

type Address = ipaddr.IPv4 | ipaddr.IPv6;
type Range = [Address, number];

/** Which peers are proxies of ours, whose `X-Forwarded-…` headers are believed. */
export interface TrustedProxies {
  isTrusted(address: string | undefined): boolean;
}

/** The proxies in a list of addresses and CIDR ranges, IPv4 or IPv6. Throws RangeError for an entry that is neither. */
export function parseTrustedProxies(entries: readonly string[]): TrustedProxies {
  const ranges = entries.map(parseRange);
  return {
    isTrusted(text) {
      if (text === undefined || ranges.length === 0) return false;
      const address = parseAddress(text);
      return address !== undefined && ranges.some((range) => includes(range, address));
    },
  };
}

/**
 * One way to write an address, so that it can be compared and counted: IPv4 within IPv6 as IPv4, IPv6 shortened,
 * no port and no zone. Undefined for what is no address, such as `unknown` or `_hidden` (RFC 7239 section 6).
 */
export function usualAddress(text: string): string | undefined {
  return parseAddress(text)?.toString();
}

/** More proxies one behind the other than anyone has. */
const MAX_HOPS = 32;

export interface ClientPath {
  /** The nearest address that is not a proxy of ours; undefined if the peer has none, as on a Unix socket. */
  address: string | undefined;
  /** How many proxies of ours stand behind the first one, which is the peer itself. */
  proxiesBehindPeer: number;
}

/**
 * Who sent a request, and over how many proxies of ours. `X-Forwarded-For` is read from the right, as each proxy
 * adds the address that it saw: what stands left of the first stranger may be invented by that stranger.
 */
export function clientPath(headers: Headers, peer: string | undefined, proxies: TrustedProxies): ClientPath {
  let address = peer === undefined ? undefined : (usualAddress(peer) ?? peer);
  if (!proxies.isTrusted(address)) return { address, proxiesBehindPeer: 0 };
  let rest = headers.get('x-forwarded-for') ?? '';
  let proxiesBehindPeer = 0;
  for (let hop = 0; hop < MAX_HOPS && rest !== ''; hop += 1) {
    const comma = rest.lastIndexOf(',');
    const next = usualAddress(withoutPort(rest.slice(comma + 1).trim()));
    if (next === undefined) break;
    address = next;
    if (!proxies.isTrusted(next)) break;
    proxiesBehindPeer += 1;
    rest = comma < 0 ? '' : rest.slice(0, comma);
  }
  return { address, proxiesBehindPeer };
}

/** The address alone of `clientPath`: for limits and the log. */
export function clientAddress(headers: Headers, peer: string | undefined, proxies: TrustedProxies): string | undefined {
  return clientPath(headers, peer, proxies).address;
}

function parseAddress(text: string): Address | undefined {
  // The longest is an IPv4 within an IPv6, with a zone after it.
  if (text.length > 100) return undefined;
  const [plain = ''] = text.split('%', 1);
  if (ipaddr.IPv4.isValidFourPartDecimal(plain)) return ipaddr.IPv4.parse(plain);
  return ipaddr.IPv6.isValid(plain) ? ipaddr.process(plain) : undefined;
}

/** `192.0.2.1:8080` and `[2001:db8::1]:8080`: some proxies add the port. */
function withoutPort(text: string): string {
  const bracketed = /^\[([^\]]*)\](?::\d{1,5})?$/.exec(text);
  return bracketed?.[1] ?? text.replace(/^([\d.]+):\d{1,5}$/, '$1');
}

/** Not the library's own reading, which takes `10.0.0/8` for a range and `0x0a.1` for an address. */
function parseRange(entry: string): Range {
  const [, text = entry, prefix] = /^([^/]+)\/(\d{1,3})$/.exec(entry) ?? [];
  const address = parseAddress(text);
  const bits = address?.kind() === 'ipv4' ? 32 : 128;
  if (address && Number(prefix ?? bits) <= bits) return [address, Number(prefix ?? bits)];
  throw new RangeError(`must be an address or a range such as 10.0.0.0/8 or fd00::/8, found "${entry}"`);
}

function includes(range: Range, address: Address): boolean {
  return address.kind() === range[0].kind() && address.match(range);
}
