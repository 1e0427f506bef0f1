'use strict';
const COLOURS = ['first', 'second', 'third'], HEIGHT = 190, FONT = '12px system-ui, "DejaVu Sans", sans-serif';
const MONTHS = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ');
const SECONDS = { minute: 60, hour: 3600, day: 86400, tenth: 0.1 };
const drawn = new Map(); // { chart, box, title, key, plot } by the chart's key
const find = (id) => document.getElementById(id);
const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();

function make(tag, inside, className = '') {
  const made = document.createElement(tag);
  made.append(...[inside].flat());
  made.className = className;
  return made;
}

function number(value, unit) {
  if (value === null) return '–';
  const digits = unit === '%' ? 1 : unit === 'USD' || Math.abs(value) < 10 ? 2 : 0;
  const shown = (unit === '%' ? value * 100 : value).toLocaleString('en', { maximumFractionDigits: digits });
  return { '%': `${shown}%`, USD: `$${shown}`, ms: `${shown} ms` }[unit] ?? shown;
}

function when(x, step, whole = false) {
  if (step === 'tenth') return whole ? `${x.toFixed(1)}–${(x + 0.1).toFixed(1)}` : x.toFixed(1);
  const at = new Date(x * 1000), day = `${at.getUTCDate()} ${MONTHS[at.getUTCMonth()]}`;
  const time = at.toISOString().slice(11, 16);
  if (step === 'day') return day;
  return whole && step === 'hour' ? `${day} ${time}` : time === '00:00' ? day : time;
}

function showKey({ chart, key, plot }) { // what each colour means, with the values under the pointer
  const place = plot?.cursor.idx ?? null;
  const parts = Object.entries(chart.series).map(([name, values], index) =>
    make('span', [make('i', '', COLOURS[index]), place === null ? name : `${name} ${number(values[place], chart.unit)}`]));
  if (place !== null) parts.unshift(make('span', when(chart.x[place], chart.step, true)));
  if (chart.band) parts.push(make('span', [make('i', '', 'band'), chart.band]));
  key.replaceChildren(...parts);
}

function rangeY({ step, unit, low, high, series }) {
  const values = Object.values(series).flat().filter((value) => value !== null);
  if (unit === '%' && step !== 'tenth' && low !== null) return [Math.min(low, ...values) - 0.02, 1.002];
  return [0, Math.max(high ?? 0, ...values) * 1.12 || 1];
}

function drawBand({ low, high, step }, plot) {
  if (low === null && high === null) return;
  const { left, top, width, height } = plot.bbox, right = left + width, bottom = top + height;
  const place = (value, axis, other) => value === null ? other : plot.valToPos(value, axis, true);
  const upper = Math.max(top, place(high, 'y', top)), lower = Math.min(bottom, place(low, 'y', bottom));
  plot.ctx.fillStyle = colour('band');
  if (step === 'tenth') plot.ctx.fillRect(place(low, 'x', left), top, right - place(low, 'x', left), height);
  else plot.ctx.fillRect(left, upper, width, lower - upper);
}

function plotChart(entry) {
  const { chart, box } = entry, step = SECONDS[chart.step], tenth = chart.step === 'tenth';
  const axis = { stroke: colour('soft'), font: FONT, grid: { stroke: colour('line'), width: 1 }, ticks: { show: false } };
  const label = (place) => !tenth && place > entry.chart.x.at(-1) ? '' : when(place, chart.step);
  const paths = chart.bars ? uPlot.paths.bars({ size: [0.75, 60], align: 1 }) : undefined;
  const series = Object.keys(chart.series).map((name, index) => chart.bars
    ? { fill: colour(COLOURS[index]), width: 0, paths, points: { show: false } }
    : { stroke: colour(COLOURS[index]), width: 2, points: { size: 5 } });
  entry.plot?.destroy();
  entry.plot = new uPlot({
    width: box.clientWidth - 26, height: HEIGHT, padding: [8, 10, 0, 0], legend: { show: false },
    tzDate: (at) => uPlot.tzDate(new Date(at * 1000), 'Etc/UTC'),
    scales: { x: { time: !tenth, range: (_, low, high) => [low, high + step] }, y: { range: () => rangeY(entry.chart) } },
    axes: [
      { ...axis, size: 28, space: 60, values: (_, places) => places.map(label),
        ...(tenth && { splits: () => [0, 0.2, 0.4, 0.6, 0.8, 1] }) },
      { ...axis, size: 68, space: 36, values: (_, places) => places.map((place) => number(place, chart.unit)) },
    ],
    series: [{}, ...series],
    cursor: { y: false, drag: { x: false, y: false }, ...(!tenth && { sync: { key: chart.step } }) },
    hooks: { drawClear: [(plot) => drawBand(entry.chart, plot)], setCursor: [() => showKey(entry)] },
  }, [chart.x, ...Object.values(chart.series)], box);
  entry.plot.root.setAttribute('role', 'img');
}

function tile({ name, value, target, met, n }) {
  const [amount, ...unit] = value.split(' '), mark = met ? 'met' : 'missed';
  const parts = [make('dt', name), make('dd', [amount, ' ', make('small', unit.join(' '))])];
  if (target) parts.push(make('p', [`${target}: `, make('b', mark, mark)]));
  return make('div', [...parts, make('p', `n = ${n.toLocaleString('en')}`)]);
}

function build(panels) {
  drawn.clear();
  find('panels').replaceChildren(...panels.map(({ title, about, charts }) => {
    const boxes = charts.map((chart) => {
      const entry = { chart, title: make('h3', ''), key: make('p', '', 'key') };
      drawn.set(chart.key, entry);
      return entry.box = make('div', [entry.title, entry.key]);
    });
    const parts = [make('h2', title), make('p', about, 'about'), make('dl', '', 'tiles'), make('div', boxes, 'charts')];
    return make('section', parts);
  }));
  drawn.forEach(plotChart);
}

function tell(text, className = '') {
  find('state').textContent = text;
  find('state').className = className;
}

function show({ fault, newest, notice, panels }) {
  if (fault) return tell(fault, 'lost');
  tell(newest ? `Live · newest record ${newest}` : 'Live');
  find('notice').textContent = notice;
  find('notice').hidden = !notice;
  const tiles = document.getElementsByClassName('tiles');
  if (tiles.length !== panels.length) build(panels);
  panels.forEach((panel, place) => tiles[place].replaceChildren(...panel.tiles.map(tile)));
  for (const chart of panels.flatMap((panel) => panel.charts)) {
    const entry = Object.assign(drawn.get(chart.key), { chart });
    entry.title.textContent = chart.title;
    entry.plot.root.setAttribute('aria-label', chart.title);
    entry.plot.setData([chart.x, ...Object.values(chart.series)]);
    showKey(entry);
  }
  document.documentElement.dataset.ready = 'yes';
}

let width = innerWidth;
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => drawn.forEach(plotChart));
addEventListener('resize', () => { if (innerWidth !== width) { width = innerWidth; drawn.forEach(plotChart); } });
let events = null;

function connect() { // a page that nobody sees costs nothing
  events?.close();
  events = document.hidden ? null : new EventSource('events');
  if (!events) return;
  events.onmessage = (event) => show(JSON.parse(event.data));
  events.onerror = () => tell(events.readyState === EventSource.CLOSED
    ? 'Connection refused. Reload the page.' : 'Connection lost. Trying again…', 'lost');
}

document.addEventListener('visibilitychange', connect);
connect();
