//! Bar charts as SVG: few colours, readable in light and dark, no script.

use std::fmt::Write;

/// One group of bars, as wide as its names.
pub(crate) struct Group {
    pub(crate) name: String,
    /// One for each series.
    pub(crate) values: Vec<f64>,
}

/// One for each series. Beyond: they begin again.
const COLOURS: [&str; 8] = ["#9aa5b1", "#4c8dae", "#d9822b", "#7a9e59", "#b56576", "#6d5b97", "#c9a227", "#3a9188"];
/// Names of series in one line.
const NAMES_ABREAST: usize = 4;
const WIDTH: f64 = 720.0;
const HEIGHT: f64 = 300.0;

/// Draws groups of bars. A line marks `goal`, if there is one.
pub(crate) fn bars(title: &str, unit: &str, series: &[&str], groups: &[Group], goal: Option<f64>) -> String {
    let names_lines = series.len().div_ceil(NAMES_ABREAST).max(1);
    let (left, top, bottom) = (56.0, 38.0 + 18.0 * names_lines as f64, 40.0);
    let highest = groups.iter().flat_map(|group| group.values.iter().copied()).chain(goal).fold(0.0, f64::max);
    let scale = (HEIGHT - top - bottom) / (highest * 1.1);
    let at = |value: f64| HEIGHT - bottom - value * scale;
    let step = (WIDTH - left - 16.0) / groups.len() as f64;
    let bar = step * 0.8 / series.len() as f64;
    let mut svg = format!(
        r#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{title}">
<style>text {{ font: 12px system-ui, sans-serif; fill: #333 }} .axis {{ stroke: #999 }} .goal {{ stroke: #c0392b; stroke-dasharray: 4 3 }}
@media (prefers-color-scheme: dark) {{ text {{ fill: #ddd }} .axis {{ stroke: #777 }} }}</style>
<text x="{left}" y="20" font-weight="bold">{title}</text>
"#
    );
    let mut line = |text: String| {
        svg.push_str(&text);
        svg.push('\n');
    };
    for (place, name) in series.iter().enumerate() {
        let (x, y) = (left + (place % NAMES_ABREAST) as f64 * 150.0, 32.0 + 18.0 * (place / NAMES_ABREAST) as f64);
        line(format!(
            r#"<rect x="{x}" y="{y}" width="10" height="10" fill="{}"/><text x="{}" y="{}">{name}</text>"#,
            colour(place),
            x + 15.0,
            y + 9.0
        ));
    }
    for part in 0..=4 {
        let value = highest * f64::from(part) / 4.0;
        let y = at(value);
        line(format!(
            r#"<line class="axis" x1="{left}" x2="{WIDTH}" y1="{y:.1}" y2="{y:.1}" stroke-width="0.3"/><text x="{}" y="{:.1}" text-anchor="end">{}</text>"#,
            left - 6.0,
            y + 4.0,
            short(value)
        ));
    }
    for (place, group) in groups.iter().enumerate() {
        let x = left + step * (place as f64 + 0.1);
        for (within, value) in group.values.iter().enumerate() {
            let (x, y) = (x + bar * within as f64, at(*value));
            line(format!(
                r#"<rect x="{x:.1}" y="{y:.1}" width="{:.1}" height="{:.1}" fill="{}"><title>{} {unit}</title></rect>"#,
                bar - 2.0,
                value * scale,
                colour(within),
                short(*value)
            ));
        }
        line(format!(
            r#"<text x="{:.1}" y="{}" text-anchor="middle">{}</text>"#,
            x + step * 0.4,
            HEIGHT - 20.0,
            group.name
        ));
    }
    if let Some(goal) = goal {
        let y = at(goal);
        line(format!(r#"<line class="goal" x1="{left}" x2="{WIDTH}" y1="{y:.1}" y2="{y:.1}"/>"#));
    }
    write!(svg, r#"<text x="{left}" y="{}">{unit}</text></svg>"#, HEIGHT - 4.0)
        .expect("a string takes what is written");
    svg.push('\n');
    svg
}

fn colour(place: usize) -> &'static str {
    COLOURS[place % COLOURS.len()]
}

fn short(value: f64) -> String {
    match value {
        value if value >= 100.0 => format!("{value:.0}"),
        value if value >= 10.0 => format!("{value:.1}"),
        value => format!("{value:.2}"),
    }
}
