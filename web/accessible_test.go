package web

// accessibility is what is wrong with the page as it is shown: headings that leave out a level,
// targets of less than 24 × 24 pixels (WCAG 2.2, 2.5.8), and text whose contrast with what is
// behind it is less than 4.5 (1.4.3; 3 for large text). Points of boards are as small as the board
// is, and are left out.
const accessibility = `(() => {
	const wrong = [];
	const shown = e => e.checkVisibility({ opacityProperty: true, visibilityProperty: true }) && !e.closest('.unseen, .skip, [hidden]');
	let level = 0;
	for (const e of document.querySelectorAll('h1, h2, h3, h4')) {
		if (!shown(e)) continue;
		const n = Number(e.tagName[1]);
		if (n > level + 1) wrong.push('after a heading of level ' + level + ' comes ' + e.tagName + ' ' + e.textContent);
		level = n;
	}
	for (const e of document.querySelectorAll('a, button, summary, select, input, textarea')) {
		if (!shown(e) || e.closest('svg')) continue;
		const box = (['radio', 'checkbox'].includes(e.type) ? e.closest('label') : e).getBoundingClientRect();
		if (box.width < 24 || box.height < 24) wrong.push(e.tagName + ' ' + (e.textContent || e.type).slice(0, 30) + ' is ' + box.width + ' × ' + box.height);
	}
	const canvas = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
	const over = (colors) => {
		canvas.clearRect(0, 0, 1, 1);
		for (const c of colors) { canvas.fillStyle = c; canvas.fillRect(0, 0, 1, 1); }
		return [...canvas.getImageData(0, 0, 1, 1).data].slice(0, 3);
	};
	const light = c => c.map(x => x / 255).map(x => x <= .04045 ? x / 12.92 : ((x + .055) / 1.055) ** 2.4).reduce((s, x, i) => s + [.2126, .7152, .0722][i] * x, 0);
	const seen = new Set();
	const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
	for (let t; (t = texts.nextNode());) {
		const e = t.parentElement;
		if (!t.textContent.trim() || !shown(e) || e.closest('svg, canvas, script, noscript, option, :disabled, .u-legend')) continue;
		const behind = [];
		for (let x = e; x; x = x.parentElement) behind.unshift(getComputedStyle(x).backgroundColor);
		const style = getComputedStyle(e), size = parseFloat(style.fontSize);
		const a = light(over(['white', ...behind])), b = light(over(['white', ...behind, style.color]));
		const ratio = (Math.max(a, b) + .05) / (Math.min(a, b) + .05);
		const large = size >= 24 || size >= 18.66 && Number(style.fontWeight) >= 700;
		const what = (e.className || e.tagName) + ' ' + style.color + ' on ' + behind.at(-1);
		if (ratio < (large ? 3 : 4.5) && !seen.has(what)) { seen.add(what); wrong.push('a contrast of ' + ratio.toFixed(2) + ': ' + what + ': ' + t.textContent.trim().slice(0, 30)); }
	}
	return wrong;
})()`

// accessible fails the test for what is wrong with the page as it is shown.
func (b *browser) accessible() {
	b.t.Helper()
	for _, wrong := range eval[[]string](b, accessibility) {
		b.t.Errorf("%s: %s", eval[string](b, "location.hash + ' ' + innerWidth + ' ' + matchMedia('(prefers-color-scheme: dark)').matches"), wrong)
	}
}
