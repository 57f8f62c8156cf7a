package door

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"runtime"
)

// badCertificate says what is wrong with the certificate of whoever answers at the door's address; "" if nothing is.
func badCertificate(err error) string {
	var bad *tls.CertificateVerificationError
	var unknown x509.UnknownAuthorityError
	var name x509.HostnameError
	var invalid x509.CertificateInvalidError
	switch {
	case !errors.As(err, &bad):
		return ""
	case errors.As(err, &unknown):
		return "its certificate is of an authority that is not known here"
	case errors.As(err, &name):
		return "its certificate is for another host"
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired:
		return "its certificate has expired or is not valid yet"
	}
	return "its certificate cannot be verified: " + bad.Err.Error()
}

// mendCertificate says what to do about it; "" for any other error.
func mendCertificate(err error) string {
	var unknown x509.UnknownAuthorityError
	var name x509.HostnameError
	var bad *tls.CertificateVerificationError
	switch {
	case !errors.As(err, &bad):
		return ""
	case errors.As(err, &name):
		return "HANZO_MCP_DOOR names the door's address: it must have the host that the certificate is for."
	case errors.As(err, &unknown) && (runtime.GOOS == "windows" || runtime.GOOS == "darwin"):
		return "Add the certificate of your company's authority to those that the system trusts (NODE_EXTRA_CA_CERTS is not looked at)."
	case errors.As(err, &unknown):
		return "Name a file with the certificate of your company's authority in SSL_CERT_FILE in the environment of hanzo-mcp (NODE_EXTRA_CA_CERTS is not looked at)."
	}
	return "Look at this machine's clock, and at the certificate."
}
