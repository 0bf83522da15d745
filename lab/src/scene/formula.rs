//! Heights from a formula of x and y: `0.25*sin(0.8*x)*cos(0.7*y)`.
//!
//! Grammar: sums of products of powers of numbers, `x`, `y`, `pi`, parentheses and the functions below.

/// A parsed formula.
#[derive(Clone, Debug)]
pub(crate) enum Formula {
    Number(f64),
    X,
    Y,
    Call(Function, Box<Formula>),
    Binary(char, Box<Formula>, Box<Formula>),
}

type Function = fn(f64) -> f64;

const FUNCTIONS: [(&str, Function); 7] = [
    ("sin", f64::sin),
    ("cos", f64::cos),
    ("abs", f64::abs),
    ("sqrt", f64::sqrt),
    ("exp", f64::exp),
    ("floor", f64::floor),
    ("tanh", f64::tanh),
];

/// Deepest nesting of parentheses and signs.
const DEPTH: usize = 64;

impl Formula {
    /// Reads a formula, or says what is wrong with it.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let mut parser = Parser { text, at: 0, depth: 0 };
        let formula = parser.sum()?;
        match parser.peek() {
            None => Ok(formula),
            Some(c) => Err(format!("unexpected '{c}' at column {}", parser.at + 1)),
        }
    }

    /// Its value at a point.
    pub(crate) fn at(&self, x: f64, y: f64) -> f64 {
        match self {
            Self::Number(n) => *n,
            Self::X => x,
            Self::Y => y,
            Self::Call(function, inner) => function(inner.at(x, y)),
            Self::Binary(op, a, b) => {
                let (a, b) = (a.at(x, y), b.at(x, y));
                match op {
                    '+' => a + b,
                    '-' => a - b,
                    '*' => a * b,
                    '/' => a / b,
                    _ => a.powf(b),
                }
            }
        }
    }
}

struct Parser<'a> {
    text: &'a str,
    at: usize,
    depth: usize,
}

impl Parser<'_> {
    fn peek(&mut self) -> Option<char> {
        let rest = &self.text[self.at..];
        self.at += rest.len() - rest.trim_start().len();
        self.text[self.at..].chars().next()
    }

    fn take(&mut self, wanted: &[char]) -> Option<char> {
        let c = self.peek().filter(|c| wanted.contains(c))?;
        self.at += c.len_utf8();
        Some(c)
    }

    fn sum(&mut self) -> Result<Formula, String> {
        let mut left = self.product()?;
        while let Some(op) = self.take(&['+', '-']) {
            left = Formula::Binary(op, Box::new(left), Box::new(self.product()?));
        }
        Ok(left)
    }

    fn product(&mut self) -> Result<Formula, String> {
        let mut left = self.power()?;
        while let Some(op) = self.take(&['*', '/']) {
            left = Formula::Binary(op, Box::new(left), Box::new(self.power()?));
        }
        Ok(left)
    }

    fn power(&mut self) -> Result<Formula, String> {
        self.depth += 1;
        if self.depth > DEPTH {
            return Err(format!("nested deeper than {DEPTH}"));
        }
        let result = if self.take(&['-']).is_some() {
            let inner = self.power()?;
            Formula::Binary('-', Box::new(Formula::Number(0.0)), Box::new(inner))
        } else {
            let base = self.atom()?;
            match self.take(&['^']) {
                Some(_) => Formula::Binary('^', Box::new(base), Box::new(self.power()?)),
                None => base,
            }
        };
        self.depth -= 1;
        Ok(result)
    }

    fn atom(&mut self) -> Result<Formula, String> {
        let Some(first) = self.peek() else { return Err("ends where a value should be".to_owned()) };
        if self.take(&['(']).is_some() {
            let inner = self.sum()?;
            return match self.take(&[')']) {
                Some(_) => Ok(inner),
                None => Err(format!("missing ')' at column {}", self.at + 1)),
            };
        }
        let rest = &self.text[self.at..];
        let length = |f: fn(char) -> bool| rest.find(|c| !f(c)).unwrap_or(rest.len());
        if first.is_ascii_digit() || first == '.' {
            let number = &rest[..length(|c| c.is_ascii_digit() || c == '.')];
            self.at += number.len();
            return number.parse().map(Formula::Number).map_err(|_| format!("'{number}' is not a number"));
        }
        let word = &rest[..length(|c| c.is_ascii_alphabetic())];
        let column = self.at + 1;
        self.at += word.len();
        match word {
            "x" => return Ok(Formula::X),
            "y" => return Ok(Formula::Y),
            "pi" => return Ok(Formula::Number(std::f64::consts::PI)),
            "" => return Err(format!("unexpected '{first}' at column {column}")),
            _ => {}
        }
        let known: Vec<&str> = FUNCTIONS.iter().map(|(name, _)| *name).collect();
        let Some((_, function)) = FUNCTIONS.iter().find(|(name, _)| *name == word) else {
            return Err(format!("unknown word '{word}', expected x, y, pi or one of: {}", known.join(", ")));
        };
        if self.peek() != Some('(') {
            return Err(format!("'{word}' needs its argument in parentheses"));
        }
        Ok(Formula::Call(*function, Box::new(self.atom()?)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formulas_mean_what_they_say() {
        let at = |text: &str, x, y| Formula::parse(text).expect("well formed").at(x, y);
        assert_eq!(at("1 + 2*3^2", 0.0, 0.0), 19.0);
        assert_eq!(at("-(x - y)/2", 1.0, 5.0), 2.0);
        assert_eq!(at("-x^2", 3.0, 0.0), -9.0);
        assert!(
            (at("0.25*sin(.8*x)*cos(0.7*y)", 1.0, 2.0) - 0.25 * 0.8f64.sin() * 1.4f64.cos()).abs() < 1e-15
        );
        assert!((at("sin(pi)", 0.0, 0.0)).abs() < 1e-15);
    }

    #[test]
    fn mistakes_are_named() {
        let says = |text: &str| Formula::parse(text).expect_err("malformed");
        assert!(says("sin x").contains("parentheses"));
        assert!(says("2*(x+1").contains("missing ')'"));
        assert!(says("sinus(x)").contains("unknown word 'sinus'"));
        assert!(says("2 $ 3").contains("'$' at column 3"));
        assert!(says("").contains("ends"));
        assert!(says(&"(".repeat(100_000)).contains("nested"));
        assert!(says("ü").contains("unexpected"));
    }
}
