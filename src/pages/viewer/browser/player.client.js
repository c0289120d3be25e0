/** Adds the chapters of audio and video as a list that leads to their times, and shows the captions of audio. */

for (const player of document.querySelectorAll('.viewer-player')) {
  const media = player.querySelector('audio, video');
  const list = player.querySelector('.viewer-chapters');
  const track = media?.querySelector('track[kind="chapters"]');
  if (media instanceof HTMLMediaElement && list instanceof HTMLElement && track instanceof HTMLTrackElement)
    listChapters(media, list, track);
  const captions = player.querySelector('.viewer-captions');
  const words = player.querySelector('track:is([kind="captions"], [kind="subtitles"])');
  if (captions !== null && words instanceof HTMLTrackElement) showCaptions(words.track, captions);
}

/**
 * Browsers show no captions of audio.
 * @param {TextTrack} track
 * @param {Element} place
 */
function showCaptions(track, place) {
  track.mode = 'hidden';
  track.addEventListener('cuechange', () => {
    const cues = [...(track.activeCues ?? [])].map((cue) => (cue instanceof VTTCue ? cue.getCueAsHTML() : ''));
    place.replaceChildren(...cues);
  });
}

/**
 * @param {HTMLMediaElement} media
 * @param {HTMLElement} list
 * @param {HTMLTrackElement} element
 */
function listChapters(media, list, element) {
  const { track } = element;
  const fill = () => {
    const cues = [...(track.cues ?? [])];
    list.querySelector('ol')?.replaceChildren(...cues.map((cue) => chapterOf(cue, media)));
    list.hidden = cues.length === 0;
  };
  element.addEventListener('load', fill);
  track.addEventListener('cuechange', () => {
    const active = new Set([...(track.activeCues ?? [])].map(({ startTime }) => String(startTime)));
    for (const button of list.querySelectorAll('button'))
      if (active.has(button.value)) button.setAttribute('aria-current', 'time');
      else button.removeAttribute('aria-current');
  });
  // Loads the cues without showing them.
  track.mode = 'hidden';
  if (element.readyState === HTMLTrackElement.LOADED) fill();
}

/**
 * @param {TextTrackCue} cue
 * @param {HTMLMediaElement} media
 */
function chapterOf(cue, media) {
  const button = document.createElement('button');
  button.type = 'button';
  button.value = String(cue.startTime);
  const time = document.createElement('span');
  time.textContent = clock(cue.startTime);
  const title = document.createElement('bdi');
  title.textContent = cue instanceof VTTCue ? cue.text : '';
  button.append(time, ' ', title);
  button.addEventListener('click', () => {
    media.currentTime = cue.startTime;
    media.play().catch(() => media.focus());
  });
  const item = document.createElement('li');
  item.append(button);
  return item;
}

/**
 * Returns a time as hours, minutes and seconds: `1:02:03`.
 * @param {number} time in seconds
 */
function clock(time) {
  const seconds = Math.floor(time);
  const [hours, minutes, rest] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  const two = (/** @type {number} */ part) => String(part).padStart(2, '0');
  return hours > 0 ? `${hours}:${two(minutes)}:${two(rest)}` : `${minutes}:${two(rest)}`;
}
