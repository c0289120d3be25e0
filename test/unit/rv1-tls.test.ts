import { it, expect } from 'bun:test';
import { readdirSync } from 'node:fs';
import { connect } from 'node:tls';
import { createLog } from '/work/main/src/base/log.ts';
import { openCertificate } from '/work/main/src/modes/tls/certificate-in-force.ts';
import { openPort } from '/work/main/src/modes/tls/open-port.ts';
import { makeCertificate, writeCertificate } from '/work/main/test/support/certificates.ts';
import { emptyFolder } from '/work/main/test/support/empty-folder.ts';
const issuer = await makeCertificate('Some CA');
const certs = await Promise.all(['first', 'second'].map((s) => makeCertificate(s, { issuer })));
const ca = issuer.cert;
const seen = (port: number, host: string) => new Promise<string>((resolve, reject) => { const s = connect({ port, host, ca, servername: 'localhost', checkServerIdentity: () => undefined }, () => { resolve(String(s.getPeerCertificate().subject.CN)); s.destroy(); }); s.on('error', reject); });
for (const host of ['::', '0.0.0.0', 'localhost', '::1'])
it(`host ${host}`, async () => {
  const folder = await emptyFolder();
  const log = createLog({ level: 'info', format: 'json', destination: { write: () => {} } });
  const files = await writeCertificate(folder, certs[0]!);
  const tls = await openCertificate({ files, log, tells: true, baseUrl: undefined });
  let port;
  try { port = openPort({ host, port: 0, answer: async () => new Response('OK'), log, tls, drainMs: 50 }); } catch (e) { console.log(host, String(e)); return; }
  const clients = host === '::' ? ['127.0.0.1', '::1'] : [host === '0.0.0.0' ? '127.0.0.1' : host];
  const fds = () => readdirSync('/proc/self/fd').length;
  const wrong: string[] = []; const failures: string[] = [];
  let stop = false; let n = 0;
  const load = (async () => { while (!stop) { for (const c of clients) { try { await seen(port.port, c); n++; } catch (e) { failures.push(c + String(e)); } } await Bun.sleep(0); } })();
  const idle = connect({ port: port.port, host: clients[0], ca, servername: 'localhost' }); idle.on('error', () => {}); idle.on('close', () => { });
  Bun.gc(true);
  console.log(host, 'rss', process.memoryUsage.rss() >> 20, 'fds', fds());
  const times = host === '::' ? 30 : 4;
  for (let i = 1; i <= times; i++) {
    await writeCertificate(folder, certs[i % 2]!);
    await tls.reload(true);
    for (const c of clients) { const got = await seen(port.port, c).catch(String); if (got !== ['first', 'second'][i % 2]) wrong.push(`${i} ${c} ${got}`); }
  }
  stop = true; await load;
  Bun.gc(true);
  console.log(host, 'rss', process.memoryUsage.rss() >> 20, 'fds', fds(), 'wrong', wrong.length, wrong[0], 'failures', failures.length, failures[0], 'conns', n);
  const t = performance.now();
  await writeCertificate(folder, certs[(times + 1) % 2]!);
  const changing = tls.reload(true);
  await Bun.sleep(20);
  await Promise.race([port.stop(), Bun.sleep(5000)]);
  console.log(host, 'graceful stop', Math.round(performance.now() - t));
  await port.stop(true); await changing; idle.destroy();
}, 60000);
